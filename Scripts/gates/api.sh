#!/usr/bin/env bash
# the public API is the one in API/*.txt
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

Scripts/write-api.sh "$work/api"
changed=()
for module in "${modules[@]}"; do
  [[ -s $work/api/$module.txt ]] || fail "no public API found in $module"
  diff -uN "API/$module.txt" "$work/api/$module.txt" || changed+=("$module")
done
((${#changed[@]} == 0)) \
  || fail "the public API of ${changed[*]} is not the one in API/. If that is meant:" \
    "Scripts/write-api.sh, read the diff, commit API/ with the change and a line in CHANGELOG.md."
diff <(ls API) <(ls "$work/api") || fail "API/ holds other files than one for each module"
