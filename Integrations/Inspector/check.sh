#!/usr/bin/env bash
# Builds this package and runs all its checks: bash Integrations/Inspector/check.sh [STEP…]
#
# The steps, all of them by default:
#   tests          the tests in Swift
#   browser        the page in a headless Chromium
#   overhead       what the inspector costs, and that nothing remains of it
#   samples        the samples of articles and comments compile as they are shown
#   documentation  the catalogue builds without warnings
#   format         layout and documentation comments
#
# Ends with one line: how many passed, how many failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

steps=("$@")
((${#steps[@]})) || steps=(tests browser overhead samples documentation format)
mkdir -p .build
passed=0
failed=0

# Installs Debian's packages with the given names, unless they are there.
install_packages() {
  local as_root=()
  ((EUID == 0)) || as_root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends "$@"; } \
    > .build/install.log 2>&1 || echo "Could not install $*; see .build/install.log." >&2
}

# Counts the tests of a run: count STATUS TOTAL BROKEN
count() {
  local status=$1 total=${2:-0} broken=${3:-0}
  if ((total == 0 || status != 0 && broken == 0)); then broken=$((broken + 1)); fi
  failed=$((failed + broken))
  if ((total > broken)); then passed=$((passed + total - broken)); fi
}

# Runs `swift test`: suite SECONDS
suite() {
  local log=.build/check-tests.log status
  timeout -k 30 "$1" swift test < /dev/null 2>&1 | tee "$log" | grep -vE 'Compiling|Emitting|Build(ing)? '
  status=${PIPESTATUS[0]}
  # The line of Swift Testing: "Test run with 74 tests in 9 suites passed after 9.9 seconds."
  count "$status" \
    "$(sed -nE 's/.*Test run with ([0-9]+) tests? .*(passed|failed) after.*/\1/p' "$log" | tail -1)" \
    "$(grep -cE '^.{0,4}Test [^r].* failed after' "$log")"
}

# Runs the tests in the browser: pages SECONDS
pages() {
  local log=.build/check-browser.log venv=.build/venv status
  command -v chromium > /dev/null && command -v chromedriver > /dev/null \
    || install_packages chromium chromium-driver fonts-dejavu-core
  [[ -x $venv/bin/pytest ]] || {
    python3 -m venv "$venv" || { install_packages python3-venv && python3 -m venv "$venv"; }
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r Tests/Browser/requirements.txt
  }
  check 600 swift build --product InspectedMail
  timeout -k 30 "$1" "$venv/bin/python" -m pytest -p no:cacheprovider -q -rA --tb=short Tests/Browser \
    < /dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count "$status" "$(grep -cE '^(PASSED|FAILED|ERROR) ' "$log")" "$(grep -cE '^(FAILED|ERROR) ' "$log")"
}

# Runs a command that counts as one check: check SECONDS COMMAND...
check() {
  if timeout -k 30 "$@" < /dev/null; then
    passed=$((passed + 1))
  else
    echo "FAILED: ${*:2}" >&2
    failed=$((failed + 1))
  fi
}

for step in "${steps[@]}"; do
  echo "== $step"
  case $step in
    tests) suite 1500 ;;
    browser) pages 300 ;;
    overhead)
      check 900 swift build -c release --product Overhead
      check 120 .build/release/Overhead
      ;;
    samples) check 300 ./samples.sh ;;
    documentation)
      command -v jq > /dev/null || install_packages jq
      check 300 ./documentation.sh
      ;;
    format)
      mapfile -d '' files < <(find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0)
      check 120 swift format lint --strict --configuration ../../.swift-format "${files[@]}"
      ;;
    *)
      echo "unknown step: $step" >&2
      failed=$((failed + 1))
      ;;
  esac
done

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
