#!/usr/bin/env bash
# Checks layout and documentation comments of the package in the current folder.
set -euo pipefail

mapfile -d '' files < <(find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0)
((${#files[@]} > 1)) || { echo "error: found no Swift files" && exit 1; }
swift format lint --strict --parallel --configuration ../../.swift-format "${files[@]}"
echo "format: ${#files[@]} files"
