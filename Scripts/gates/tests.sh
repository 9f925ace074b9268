#!/usr/bin/env bash
# the tests pass, one at a time in each of two processes
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build --build-tests || fail "the tests do not build"
run_in_two tests "$(swift build --show-bin-path)"
