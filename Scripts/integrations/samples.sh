#!/usr/bin/env bash
# Compiles the samples of the README, of articles and of documentation comments of the package in the
# current folder, as they are shown: samples.sh FOLDER_OF_PROGRAMS
#
# The blocks of a page form one program; each block of a documentation comment is one.
set -euo pipefail
here=$PWD
build=$1
source "$(dirname "${BASH_SOURCE[0]}")/../gates/common.sh"
cd "$here"

samples=.build/samples
rm -rf "$samples"
mkdir -p "$samples"
count=0
while IFS= read -r page; do
  file=
  while IFS= read -r -d '' program; do
    if [[ -z $file || $page == *.swift ]]; then
      count=$((count + 1))
      file=$samples/$count.swift
      printf '// %s' "$program" > "$file"
    else
      printf '\n%s' "${program#*$'\n'}" >> "$file"
    fi
  done < <(programs "$page")
done < <({
  find . -maxdepth 1 -name '*.md'
  [[ ! -d Sources ]] || find Sources \( -name '*.md' -o -name '*.swift' \)
} | sed 's|^\./||' | LC_ALL=C sort)
((count > 0)) || fail "no sample was found"

mapfile -t flags < <("${BASH_SOURCE[0]%/*}/module-flags.sh" "$build")
flags+=(-swift-version 6 -warnings-as-errors -enable-upcoming-feature MemberImportVisibility
  -package-name stranger -module-name Sample)
for file in "$samples"/*.swift; do
  while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
  { swiftc -typecheck "${flags[@]}" "$file" > "$file.log" 2>&1 || touch "$file.failed"; } &
done
wait
problems=0
for file in "$samples"/*.failed; do
  [[ -e $file ]] || continue
  problems=$((problems + 1))
  echo "error: this sample does not compile as it is shown: $(sed -n '1s/^...//p' "${file%.failed}")"
  cat "${file%.failed}.log"
done
echo "samples: $((count - problems)) passed, $problems failed"
((problems == 0))
