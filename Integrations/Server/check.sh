#!/usr/bin/env bash
# Builds this package and runs all its checks: bash Integrations/Server/check.sh
#
# Tests (the server among them, started as a program), samples and format. Ends with one line: how many
# passed, how many failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

log=.build/check.log
mkdir -p .build
passed=0
failed=0

echo "== swift test"
timeout -k 30 1200 swift test < /dev/null 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
# The line of Swift Testing: "Test run with 74 tests in 9 suites passed after 9.9 seconds."
total=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/\1/p' "$log" | tail -1)
broken=$(grep -cE '^.{0,4}Test .* failed after' "$log")
if ((status != 0 && broken == 0)) || [[ -z $total ]]; then
  broken=1
fi
failed=$((failed + broken))
passed=$((passed + ${total:-$broken} - broken))

check() {
  echo "== $1"
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
formatted() {
  find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0 \
    | xargs -0 swift format lint --strict --configuration ../../.swift-format
}
check samples ./samples.sh
check format formatted

((failed == 0)) || grep -E 'recorded an issue|error:' "$log" | head -40
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
