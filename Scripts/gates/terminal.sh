#!/usr/bin/env bash
# the tests of the demo on a terminal pass
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

export TERMINAL_TESTS=1
swift build --build-tests || fail "the tests do not build"
run_tests terminal "$(swift build --show-bin-path)/EventBusPackageTests.xctest" \
  --testing-library swift-testing --no-parallel --filter '^SkinsTests\.'
