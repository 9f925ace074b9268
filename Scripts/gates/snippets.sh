#!/usr/bin/env bash
# every sample in README.md, catalogues and documentation comments compiles and runs
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Prints a snippet as its readers see it, without hidden lines and indentation.
visible() {
  awk '/^[ \t]*\/\/ *snippet\.hide/ { hidden = 1; next }
       /^[ \t]*\/\/ *snippet\.show/ { hidden = 0; next }
       /^[ \t]*\/\/ *snippet\.(end|[A-Za-z0-9_-]+)[ \t]*$/ { next }
       !hidden { sub(/^[ \t]+/, ""); print }' "$1"
}

mapfile -t snippets < <(swift_files Snippets)
((${#snippets[@]} > 0)) || fail "Snippets/ is empty"
declare -A shown=()
for snippet in "${snippets[@]}"; do shown[$snippet]=$'\n'$(visible "$snippet")$'\n'; done

# 1. Every sample is part of a snippet, word for word except for indentation.
blocks=0
strays=0
mapfile -t sources < <(
  printf '%s\n' README.md CONTRIBUTING.md
  find Sources -name '*.md' | LC_ALL=C sort
  swift_files Sources
)
for source in "${sources[@]}"; do
  [[ -f $source ]] || continue
  while IFS= read -r -d '' block; do
    blocks=$((blocks + 1))
    place=${block%%$'\n'*}
    text=$(sed -E 's/^[ \t]+//' <<< "${block#*$'\n'}")
    for snippet in "${snippets[@]}"; do
      [[ ${shown[$snippet]} == *$'\n'"$text"$'\n'* ]] && continue 2
    done
    echo "$place: this sample is in no file of Snippets/"
    strays=1
  done < <(code_blocks "$source")
done
((strays == 0)) || fail "add each sample above to a snippet, which the build compiles"
((blocks > 0)) || fail "no sample was found; check the list of sources in this gate"

# 2. Every snippet compiles without warnings against the public API.
swift build || fail "the build"
binaries=$(swift build --show-bin-path)
for snippet in "${snippets[@]}"; do
  library=()
  ! grep -q "^@main" "$snippet" || library=(-parse-as-library)
  swiftc -typecheck -swift-version 6 -warnings-as-errors "${library[@]}" -package-name stranger \
    -I "$binaries/Modules" "$snippet" || fail "$snippet does not compile on its own"
done

# 3. Every snippet runs and ends.
for snippet in "${snippets[@]}"; do
  name=$(basename "$snippet" .swift)
  [[ -x $binaries/$name ]] || fail "swift build produced no program for $snippet"
  timeout 20 "$binaries/$name" > "$work/snippet.out" 2>&1 \
    || fail "$snippet ended with status $? and printed: $(tail -5 "$work/snippet.out")"
done
echo "$blocks samples, ${#snippets[@]} snippets."
