#!/usr/bin/env bash
# the documentation of each module builds, without a broken link
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

graphs=$(symbol_graphs public)
for module in "${modules[@]}"; do
  page=Sources/$module/$module.docc/$module.md
  [[ -f $page ]] || fail "$page is missing"
  docc convert "${page%/*}" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-dir "$work/$module.doccarchive" --warnings-as-errors || fail "the catalogue of $module"

  # The landing page is the table of contents: nothing public is left to the alphabet.
  absent=$(jq -r --rawfile page "$page" --arg house "$module" '
    .symbols[] | select(.pathComponents | length == 1) | .pathComponents[0]
    | select(. as $name | $page
        | contains("- ``\($name)``") or contains("- ``\($house)/\($name)``")
          or contains("- ``\($name)-") | not)  # Overloads carry a hash.
  ' "$graphs/$module/$module.symbols.json" | LC_ALL=C sort -u)
  [[ -z $absent ]] || fail "$page lists no ${absent//$'\n'/, }"
done
