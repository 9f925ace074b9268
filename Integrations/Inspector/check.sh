#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/Inspector/check.sh [--full] [STEP…]
#
# By default, from one build for release, which shares its folder with that of Integrations/Server:
#   build          everything, the tests included
#   tests          the tests in Swift
#   browser        the page in a headless Chromium
#   overhead       the cost of the inspector, and of posts after its release
#   samples        every sample compiles as it is shown
#   documentation  the catalogs build without warnings
#   format         layout and documentation comments
#   imports        every target declares the modules that it imports
# With --full also:
#   debug          the tests as the README starts them, with a debug build
#   threads        the tests in Swift under ThreadSanitizer
#
# Ends with one line: how many passed, how many failed. A step that cannot run is a failure.
source "$(dirname "${BASH_SOURCE[0]}")/../../Scripts/integrations/checks.sh"

steps=(build tests browser overhead samples documentation format imports)
full_steps=(debug threads)
flags=("${shared_release[@]}")

# Runs the tests in the browser, or those that failed the last time: pages SECONDS [--last-failed]
pages() {
  local limit=$1
  shift
  run "$limit" env INSPECTED_MAIL="$programs/InspectedMail" \
    "$PWD/.build/venv/bin/python" -m pytest -o cache_dir="$PWD/.build/pytest" -q -rA --tb=short "$@" \
    Tests/Browser
}

# The number of tests with a result in the log of pytest: outcomes PASSED|FAILED|ERROR
outcomes() { grep -cE "^($1) " "$logs/$step.log"; }

# Installs Selenium and pytest.
make_venv() {
  cmp -s Tests/Browser/requirements.txt "$1/installed" && return
  python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check \
    -r Tests/Browser/requirements.txt && cp Tests/Browser/requirements.txt "$1/installed"
}
export -f make_venv

step_tests() { can_run && suite 300 swift test "${flags[@]}" --skip-build; }
step_browser() {
  local status good bad
  need chromium:chromium chromedriver:chromium-driver python3:python3 ensurepip.py:python3-venv \
    fonts:fonts-dejavu-core || return
  can_run || return
  run 300 bash -c 'make_venv "$1"' - "$PWD/.build/venv"
  pages 600
  status=$?
  good=$(outcomes PASSED)
  bad=$(outcomes 'FAILED|ERROR')
  # A browser on a busy machine may be late. A few tests that failed are repeated once: a defect fails again.
  if ((status == 1 && bad > 0 && bad <= 3)); then
    echo "Repeated after a failure:"
    grep -E '^(FAILED|ERROR) ' "$logs/$step.log" | cut -c1-200
    : > "$logs/$step.log"
    pages 200 --last-failed
    status=$?
    good=$((good + $(outcomes PASSED)))
    bad=$(outcomes 'FAILED|ERROR')
  fi
  finish "$status" "$good" "$bad"
}
step_overhead() { can_run && check 120 "$programs/Overhead"; }
step_debug() { suite 1500 swift test; }
step_threads() {
  suite 1800 swift test --no-parallel --sanitize thread -Xswiftc -DTSAN --scratch-path .build/threads
}

run_steps "$@"
