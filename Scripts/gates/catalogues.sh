#!/usr/bin/env bash
# the documentation of each module builds without broken links
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

compile_libraries
graphs=$work/symbol-graphs/public
for module in "${modules[@]}"; do
  page=Sources/$module/$module.docc/$module.md
  [[ -f $page ]] || fail "$page is missing"
  docc convert "${page%/*}" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-dir "$work/$module.doccarchive" --warnings-as-errors || fail "the catalogue of $module does not build"

  # The landing page is the table of contents and lists every public type.
  absent=$(jq -r --rawfile page "$page" --arg library "$module" '
    .symbols[] | select(.pathComponents | length == 1) | .pathComponents[0]
    | select(. as $name | $page
        | contains("- ``\($name)``") or contains("- ``\($library)/\($name)``")
          or contains("- ``\($name)-") | not)  # Overloads have a hash suffix.
  ' "$graphs/$module/$module.symbols.json" | LC_ALL=C sort -u)
  [[ -z $absent ]] || fail "$page does not list ${absent//$'\n'/, }"
done
