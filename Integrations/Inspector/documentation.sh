#!/usr/bin/env bash
# Builds the documentation catalogues from the modules of the debug build; a warning is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

build=${1:-.build/debug}
work=.build/documentation
rm -rf "$work"

flags=(-I "$build/Modules" -target "$(swiftc -print-target-info | jq -r .target.triple)")
for include in .build/checkouts/*/Sources/*/include; do flags+=(-Xcc "-I$include"); done
while IFS= read -r map; do
  flags+=(-Xcc "-fmodule-map-file=$map")
done < <(find "$build/" -name module.modulemap -path '*.build/*')

count=0
for catalogue in Sources/*/*.docc; do
  module=$(basename "$catalogue" .docc)
  mkdir -p "$work/$module"
  swift symbolgraph-extract -module-name "$module" "${flags[@]}" -minimum-access-level public \
    -skip-inherited-docs -emit-extension-block-symbols -output-dir "$work/$module"
  docc convert "$catalogue" --additional-symbol-graph-dir "$work/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-dir "$work/$module.doccarchive" --warnings-as-errors
  # A public declaration without a comment. Members that the compiler makes have no place in a file.
  bare=$(jq -r '.symbols[] | select(.docComment == null and .location != null)
    | select(.kind.identifier != "swift.extension") | .pathComponents | join(".")' \
    "$work/$module"/*.symbols.json)
  if [[ -n $bare ]]; then
    echo "FAILED: $module has undocumented declarations: ${bare//$'\n'/, }" >&2
    exit 1
  fi
  count=$((count + 1))
done
((count > 0)) || { echo "FAILED: no catalogue was found" >&2; exit 1; }
echo "documentation: $count catalogues"
