#!/usr/bin/env bash
# Builds the documentation catalogs of the package in the current folder from the modules that were
# built; a warning is a failure: documentation.sh FOLDER_OF_PROGRAMS
set -euo pipefail

work=.build/documentation
rm -rf "$work"
mapfile -t flags < <("$(dirname "${BASH_SOURCE[0]}")/module-flags.sh" "$1")
flags+=(-target "$(swiftc -print-target-info | jq -r .target.triple)")

count=0
for catalog in Sources/*/*.docc; do
  [[ -d $catalog ]] || continue
  module=$(basename "$catalog" .docc)
  mkdir -p "$work/$module"
  swift symbolgraph-extract -module-name "$module" "${flags[@]}" -minimum-access-level public \
    -skip-inherited-docs -emit-extension-block-symbols -output-dir "$work/$module"
  python3 -B "$(dirname "${BASH_SOURCE[0]}")/../links.py" "$catalog" "$work/$module.docc"
  docc convert "$work/$module.docc" --additional-symbol-graph-dir "$work/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-dir "$work/$module.doccarchive" --warnings-as-errors
  # A public declaration without a comment. Members that the compiler synthesizes have no location in a file.
  bare=$(jq -r '.symbols[] | select(.docComment == null and .location != null)
    | select(.kind.identifier != "swift.extension") | .pathComponents | join(".")' \
    "$work/$module"/*.symbols.json)
  if [[ -n $bare ]]; then
    echo "error: $module has undocumented declarations: ${bare//$'\n'/, }" >&2
    exit 1
  fi
  count=$((count + 1))
done
((count > 0)) || { echo "error: no catalog was found" >&2; exit 1; }
echo "documentation: $count catalogs"
