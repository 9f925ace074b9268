#!/usr/bin/env bash
# the documentation of each module builds without broken links, and no link needs a hash
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A link with a hash, such as ``every(_:_:)-1abcd``, breaks when any parameter changes.
hashed=$(grep -rnoE --include='*.md' --include='*.swift' '``[^`]*\)-[0-9a-z]{4,6}``' "${sources[@]}" || true)
[[ -z $hashed ]] || fail "these links contain a hash; name the types, or link to an article:"$'\n'"$hashed"

compile_libraries
graphs=$work/symbol-graphs/public
for module in "${published[@]}"; do
  page=$(folder_of "$module")/$module.docc/$module.md
  [[ -f $page ]] || fail "$page is missing"
  docc convert "${page%/*}" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-dir "$work/$module.doccarchive" --warnings-as-errors || fail "the catalog of $module does not build"

  # The landing page is the table of contents and lists every public type and function. Overloaded functions
  # are left to DocC: each link to one would need a hash, which changes with its parameters.
  absent=$(jq -r --rawfile page "$page" --arg library "$module" '
    [.symbols[] | select(.pathComponents | length == 1)] | group_by(.pathComponents[0])[]
    | select(length == 1) | .[0].pathComponents[0]
    | select(. as $name | $page
        | contains("- ``\($name)``") or contains("- ``\($library)/\($name)``") | not)
  ' "$graphs/$module/$module.symbols.json" | LC_ALL=C sort -u)
  [[ -z $absent ]] || fail "$page does not list ${absent//$'\n'/, }"
done
