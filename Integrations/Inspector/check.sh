#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/Inspector/check.sh [--full] [STEP…]
#
# By default, from a debug build, which shares its folder with those of the other packages:
#   build          everything, the tests included
#   tests          the tests in Swift
#   samples        every sample compiles as it is shown
#   documentation  the catalogs build without warnings
#   format         layout and documentation comments
#   imports        every target declares the modules that it imports
# With --full everything above from a build for release, and also:
#   browser        the page in a headless Chromium
#   overhead       the cost of the inspector, and of posts after its release
#   age            the age of posts when the page shows them
#   debug          the tests in Swift from a debug build
#   threads        the tests in Swift under ThreadSanitizer
#
# Ends with one line: how many passed, how many failed. A step that cannot run is a failure.
source "$(dirname "${BASH_SOURCE[0]}")/../../Scripts/integrations/checks.sh"

steps=(build tests samples documentation format imports)
full_steps=(browser overhead age debug threads)

# The number of tests with a result in the log of pytest: outcomes PASSED|FAILED|ERROR
outcomes() { grep -cE "^($1) " "$logs/$step.log"; }

# Runs tests in the browser: pages SECONDS ARGUMENT...
pages() {
  local limit=$1 status
  shift
  need chromium:chromium chromedriver:chromium-driver python3:python3 ensurepip.py:python3-venv \
    fonts:fonts-dejavu-core || return
  can_run || return
  run 300 bash -c 'make_venv "$1"' - "$PWD/.build/venv"
  run "$limit" env INSPECTED_MAIL="$programs/InspectedMail" \
    "$PWD/.build/venv/bin/python" -m pytest -o cache_dir="$PWD/.build/pytest" -q -rA --tb=short "$@" \
    Tests/Browser
  status=$?
  finish "$status" "$(outcomes PASSED)" "$(outcomes 'FAILED|ERROR')"
}

# Installs Selenium and pytest.
make_venv() {
  cmp -s Tests/Browser/requirements.txt "$1/installed" && return
  python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check \
    -r Tests/Browser/requirements.txt && cp Tests/Browser/requirements.txt "$1/installed"
}
export -f make_venv

step_tests() { can_run && suite 300 swift test "${flags[@]}" --skip-build; }
step_browser() { pages 1200 -m 'not cost'; }
step_overhead() { can_run && check 120 "$programs/Overhead"; }
step_age() {
  pages 300 -m cost
  grep -E '^medians ' "$logs/age.log"
}
step_debug() { suite 1500 swift test "${shared_debug[@]}"; }
step_threads() {
  suite 1800 swift test --no-parallel --sanitize thread -Xswiftc -DTSAN --scratch-path .build/threads
}

run_steps "$@"
