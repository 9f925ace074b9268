#!/usr/bin/env bash
# the same tests, with optimised libraries
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Package.swift then optimises everything except the tests, which are most of the code to compile.
export OPTIMISE_ALL_BUT_TESTS=1
build_tests -c release
run_tests tests-release -c release --skip-build
