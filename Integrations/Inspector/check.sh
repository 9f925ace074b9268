#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/Inspector/check.sh [--full] [STEP…]
#
# By default, from one build for release, which shares its folder with that of Integrations/Server:
#   build          everything, the tests included
#   tests          the tests in Swift
#   browser        the page in a headless Chromium
#   overhead       what the inspector costs, and that nothing remains of it
#   samples        every sample compiles as it is shown
#   documentation  the catalogues build without warnings
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

# The numbers of passed and failed tests in the log of pytest.
count_pages() {
  local broken
  broken=$(grep -cE '^(FAILED|ERROR) ' "$1")
  echo "$(grep -c '^PASSED ' "$1") $broken"
}

# Installs Selenium and pytest.
make_venv() {
  [[ -x $1/bin/pytest ]] && return
  python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check \
    -r Tests/Browser/requirements.txt
}
export -f make_venv

step_tests() { can_run && suite 300 swift test "${flags[@]}" --skip-build; }
step_browser() {
  local venv=$PWD/.build/venv status
  need chromium:chromium chromedriver:chromium-driver python3:python3 ensurepip.py:python3-venv \
    fonts:fonts-dejavu-core || return
  can_run || return
  run 300 bash -c 'make_venv "$1"' - "$venv"
  run 600 env INSPECTED_MAIL="$programs/InspectedMail" \
    "$venv/bin/python" -m pytest -p no:cacheprovider -q -rA --tb=short Tests/Browser
  status=$?
  # shellcheck disable=SC2046
  finish "$status" $(count_pages "$logs/$step.log")
}
step_overhead() { can_run && check 120 "$programs/Overhead"; }
step_debug() { suite 1500 swift test; }
step_threads() {
  suite 1800 swift test --no-parallel --sanitize thread -Xswiftc -DTSAN --scratch-path .build/threads
}

run_steps "$@"
