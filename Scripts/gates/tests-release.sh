#!/usr/bin/env bash
# all tests pass, compiled with -O together with the libraries
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

programs=$(programs_of_the_package)
mapfile -t programs <<< "$programs"
build_products "${optimized[@]}" -- EventBusPackageTests "${programs[@]}"
run_in_two tests-release "$(swift build "${optimized[@]}" --show-bin-path)"
