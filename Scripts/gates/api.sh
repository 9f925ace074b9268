#!/usr/bin/env bash
# the public API matches API/*.txt
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

Scripts/write-api.sh "$work/api"
changed=()
for module in "${published[@]}"; do
  [[ -s $work/api/$module.txt ]] || fail "no public API was found in $module"
  diff -uN "API/$module.txt" "$work/api/$module.txt" || changed+=("$module")
done
((${#changed[@]} == 0)) \
  || fail "the public API of ${changed[*]} differs from API/. If the change is intended, run" \
    "Scripts/write-api.sh, review the diff, and commit API/ with a line in CHANGELOG.md."
diff <(ls API) <(ls "$work/api") || fail "API/ must hold exactly one file per module"
