#!/usr/bin/env bash
# the same tests, optimised
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run_tests tests-release -c release
