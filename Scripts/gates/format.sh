#!/usr/bin/env bash
# layout and documentation comments, as configured in .swift-format
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mapfile -t files < <(swift_files Package.swift "${sources[@]}" Tests Examples Documentation Benchmarks Scripts)
((${#files[@]} > 1)) || fail "found no Swift files to lint"
swift format lint --strict --parallel "${files[@]}" \
  || fail "swift format lint. 'swift format --in-place FILE' repairs the layout; repair the rest by hand."
echo "${#files[@]} files."
