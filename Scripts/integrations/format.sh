#!/usr/bin/env bash
# Checks layout and documentation comments of the package in the current folder.
set -euo pipefail

roots=()
for root in Package.swift Sources Tests Examples Benchmarks; do
  [[ ! -e $root ]] || roots+=("$root")
done
mapfile -d '' files < <(find "${roots[@]}" -name '*.swift' -print0)
((${#files[@]} > 1)) || { echo "error: found no Swift files" && exit 1; }
swift format lint --strict --parallel --configuration ../../.swift-format "${files[@]}"
echo "format: ${#files[@]} files"
