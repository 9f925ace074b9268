#!/usr/bin/env bash
# the test command of README.md
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run_tests tests-debug swift test
