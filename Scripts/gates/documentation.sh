#!/usr/bin/env bash
# every public and package declaration has a documentation comment
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

compile_libraries
graphs=$work/symbol-graphs/package
for module in "${published[@]}"; do
  bare=$(jq -r '
    .symbols[] | select(.kind.identifier != "swift.extension") | select((.docComment.lines // []) | map(.text) | join("") | test("\\S") | not)
    | "  \(.location.uri // "" | sub("^.*/(?<top>Sources|Integrations)/"; "\(.top)/")):"
      + "\((.location.position.line // -1) + 1): \(.pathComponents | join("."))"
  ' "$graphs/$module"/*.symbols.json)
  [[ -z $bare ]] || fail "add documentation comments in $module:"$'\n'"$bare"
  echo "$module: $(jq -s "map(.symbols | length) | add" "$graphs/$module"/*.symbols.json) symbols."
done
