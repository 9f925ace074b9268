#!/usr/bin/env bash
# README's test command
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run_tests tests-debug
