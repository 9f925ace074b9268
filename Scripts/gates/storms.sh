#!/usr/bin/env bash
# the tests of contention pass, compiled with -O together with the libraries
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A test of contention is one whose file is called after it, or whose threads, two or more, begin together. What the compiler inlines
# into it, and how it orders memory accesses there, only -O shows.
mapfile -t kept < <(
  { find Tests \( -name '*StormTests.swift' -o -name '*ContentionTests.swift' \)
    grep -rlE --include='*Tests.swift' --include='*Tests+*.swift' 'StartGate|onThreads\(([2-9]|[a-z])' Tests
  } | grep -v /Edges/ | sed -E 's/(\+.*)?\.swift$//; s/ExitTests$/Tests/' | LC_ALL=C sort -u
)
((${#kept[@]} > 15)) || fail "found only ${#kept[@]} files of tests of contention"
# Together with the files that extend their suites, and with the helpers, but not those of the table of edges.
TESTS_LEFT_OUT=$(find Tests -name '*Tests.swift' -o -name '*Tests+*.swift' -o -path '*/Edges/*.swift' | LC_ALL=C sort \
  | grep -vE "^($(IFS='|'; echo "${kept[*]}"))(\+.*)?\.swift$" | tr '\n' ' ')
export TESTS_LEFT_OUT
build_products "${optimized[@]}" -- EventBusPackageTests
run_in_two storms "$(swift build "${optimized[@]}" --show-bin-path)"
echo "${#kept[@]} suites."
