#!/usr/bin/env bash
# launch entries have a section for Mach-O; exit tests, which only two systems have, are in …ExitTests.swift
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

entries=0
while read -r file; do
  entries=$((entries + 1))
  awk '/@section\("\.init_array"\)/ && last !~ /#else$/ { bad = 1 } { last = $0 } END { exit bad }' "$file" \
    || fail "$file has a launch entry without #if objectFormat(MachO), and does not compile for Apple's systems"
done < <(grep -rlF --include='*.swift' --include='*.md' '@section(".init_array")' Sources Examples Documentation Tests README.md)
tests=0
while read -r file; do
  tests=$((tests + 1))
  [[ $file == *ExitTests.swift && $(head -n 1 "$file") == '#if os(Linux) || os(macOS)' && $(tail -n 1 "$file") == '#endif' ]] \
    || fail "$file contains exit tests; move them to …ExitTests.swift, all of it under #if os(Linux) || os(macOS)"
done < <(grep -rl --include='*.swift' processExitsWith Tests)
((entries > 0 && tests > 0)) || fail "found $entries files with launch entries, and $tests with exit tests"
echo "$entries files with launch entries, $tests with exit tests."
