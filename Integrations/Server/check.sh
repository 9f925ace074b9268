#!/usr/bin/env bash
# Builds this package and runs all its checks: bash Integrations/Server/check.sh [STEP…]
#
# The steps, all of them by default:
#   tests          the tests, with the server of the debug build
#   load           the load test, with a server that is built for release
#   costs          what logging, metrics and tracing cost, and that nothing remains of them
#   samples        the samples of articles and comments compile as they are shown
#   documentation  the catalogues build without warnings
#   format         layout and documentation comments
#   threads        the tests of the libraries under ThreadSanitizer
#
# Ends with one line: how many passed, how many failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# The toolchain has the rest.
if ! command -v jq > /dev/null; then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y jq; } > /dev/null \
    || echo "Could not install jq; the step \"documentation\" will fail." >&2
fi

steps=("$@")
((${#steps[@]})) || steps=(tests load costs samples documentation format threads)
mkdir -p .build
passed=0
failed=0

# Runs `swift test` with the given arguments and counts its tests: suite NAME SECONDS ARGUMENT...
suite() {
  local log=.build/check-$1.log limit=$2 status total broken
  shift 2
  timeout -k 30 "$limit" swift test "$@" < /dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  # The line of Swift Testing: "Test run with 74 tests in 9 suites passed after 9.9 seconds."
  total=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*(passed|failed) after.*/\1/p' "$log" | tail -1)
  broken=$(grep -cE '^.{0,4}Test [^r].* failed after' "$log")
  if [[ -z $total ]] || ((total == 0 || status != 0 && broken == 0)); then broken=$((broken + 1)); fi
  if ((broken > 0)); then
    failed=$((failed + broken))
    grep -E 'recorded an issue|error:|Fatal error|WARNING: ThreadSanitizer' "$log" | cut -c1-300 | head -40
  fi
  total=${total:-0}
  if ((total > broken)); then passed=$((passed + total - broken)); fi
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

build_for_release() {
  check 900 swift build -c release --product EventServer
  check 300 swift build -c release --product Costs
}
released=no
need_release() {
  [[ $released == yes ]] || build_for_release
  released=yes
}

for step in "${steps[@]}"; do
  echo "== $step"
  case $step in
    tests) suite tests 1500 ;;
    load)
      need_release
      EVENTS=${EVENTS:-1000} EVENT_SERVER=$PWD/.build/release/EventServer \
        suite load 900 --filter LoadTests
      ;;
    costs)
      need_release
      check 300 .build/release/Costs
      ;;
    samples) check 300 ./samples.sh ;;
    documentation) check 300 ./documentation.sh ;;
    format)
      mapfile -d '' files < <(find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0)
      check 120 swift format lint --strict --configuration ../../.swift-format "${files[@]}"
      ;;
    threads)
      LIBRARIES_ONLY=1 suite threads 1200 --no-parallel --sanitize thread -Xswiftc -DTSAN \
        --scratch-path .build/threads
      ;;
    *)
      echo "unknown step: $step" >&2
      failed=$((failed + 1))
      ;;
  esac
done

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
