#!/usr/bin/env bash
# Compiles the samples of the articles and of the documentation comments, as they are shown.
#
# The `swift` blocks of an article form one program; each block of a documentation comment is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

build=${1:-.build/debug}
shift $(($# > 0 ? 1 : 0))
folder=.build/samples
rm -rf "$folder"
mkdir -p "$folder"

# Prints the blocks of a file; the second argument says whether they are in documentation comments.
blocks() {
  awk -v comments="$2" '
    comments && !sub(/^[ \t]*\/\/\/ ?/, "") { if (inside) printf "%c", 0; inside = 0; next }
    !inside && /^ *```swift$/ { inside = 1; next }
    inside && /^ *```$/ { inside = 0; if (comments) printf "%c", 0; else print ""; next }
    inside { print }
  ' "$1"
}

count=0
while IFS= read -r page; do
  comments=$([[ $page == *.swift ]] && echo 1 || echo 0)
  while IFS= read -r -d '' program || [[ -n $program ]]; do
    [[ -n ${program//[[:space:]]/} ]] || continue
    count=$((count + 1))
    printf '// %s\n%s\n' "$page" "$program" > "$folder/$count.swift"
    program=
  done < <(blocks "$page" "$comments")
done < <(find README.md Sources \( -name '*.md' -o -name '*.swift' \) | LC_ALL=C sort)
((count > 0)) || { echo "no sample was found" >&2; exit 1; }

flags=(-swift-version 6 -warnings-as-errors -enable-upcoming-feature MemberImportVisibility
  -module-name Sample -I "$build/Modules" "$@")
for include in .build/checkouts/*/Sources/*/include; do flags+=(-Xcc "-I$include"); done
while IFS= read -r map; do
  flags+=(-Xcc "-fmodule-map-file=$map")
done < <(find "$build/" -name module.modulemap -path '*.build/*')

failed=0
for file in "$folder"/*.swift; do
  swiftc -typecheck "${flags[@]}" "$file" || { head -1 "$file" >&2; failed=$((failed + 1)); }
done
echo "samples: $((count - failed)) passed, $failed failed"
((failed == 0))
