#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/Server/check.sh [--full] [STEP…]
#
# By default, from one build for release, which takes most of the time:
#   build          everything, the tests included
#   tests          all tests but the load test; they start the server as a program
#   load           200 streams and 1,000 events; EVENTS=10000 posts another number
#   costs          what logging, metrics and tracing cost, and that nothing remains of them
#   samples        the samples of articles and comments compile as they are shown
#   documentation  the catalogues build without warnings
#   format         layout and documentation comments
#   imports        every target declares the modules that it imports
# With --full also:
#   debug          the tests as the README starts them, with a debug build
#   threads        the tests of the libraries under ThreadSanitizer
#
# Ends with one line: how many passed, how many failed. A step that cannot run is a failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

steps=(build tests load costs samples documentation format imports)
# The seconds that all steps together may take, on a machine that is three times as slow as usual.
budget=1200
if [[ ${1:-} == --full ]]; then
  shift
  steps+=(debug threads)
  budget=3600
fi
(($# == 0)) || steps=("$@")

# The toolchain has the rest.
if ! command -v jq > /dev/null; then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y jq; } > /dev/null \
    || echo "Could not install jq; the step \"documentation\" will fail." >&2
fi

logs=$PWD/.build/check
mkdir -p "$logs"
passed=0
failed=0
# Debug information takes time and is of no use to the checks.
release=(-c release -Xswiftc -enable-testing -debug-info-format none)
is_built=

# The functions that count and print tests are those of the repository's own checks.
of_gates() (
  source ../../Scripts/gates/common.sh
  "$@"
)

# Runs a command with its output in the log of a step: run STEP SECONDS COMMAND...
run() {
  local step=$1 limit=$2 left=$((budget - SECONDS)) status
  shift 2
  ((limit < left)) || limit=$left
  if ((limit <= 0)); then
    echo "error: no time is left: the checks have taken $budget s" > "$logs/$step.log"
    return 124
  fi
  timeout -k 10 "$limit" "$@" < /dev/null > "$logs/$step.log" 2>&1
  status=$?
  case $status in
    124 | 137) printf '\n%s\n' "error: not ended within $limit s: $*" >> "$logs/$step.log" ;;
  esac
  return "$status"
}

# Counts and prints the result of a step: finish STEP STATUS [PASSED FAILED]
finish() {
  local step=$1 status=$2 good=${3:-} bad=${4:-}
  if [[ -z $good ]]; then
    good=$((status == 0 ? 1 : 0))
    bad=$((1 - good))
  elif ((status != 0 && bad == 0 || good + bad == 0)); then
    bad=1
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  if ((bad > 0)); then
    if grep -q 'Test run started' "$logs/$step.log"; then
      of_gates print_failures "$logs/$step.log"
      tail -n 3 "$logs/$step.log" | cut -c1-300
    else
      # Errors of a compiler may be far above.
      grep -A 3 'error:' "$logs/$step.log" | head -n 40 | cut -c1-300
      tail -n 15 "$logs/$step.log" | cut -c1-300
    fi
    echo "FAILED: $step (the log is $logs/$step.log)"
  fi
  echo "   $good passed, $bad failed, $((SECONDS - began)) s"
}

# Runs a command that is one check: check STEP SECONDS COMMAND...
check() {
  local status
  run "$@"
  status=$?
  # What the command counted or measured; a build tells nothing of interest.
  if ((status == 0)) && [[ $1 != build ]]; then grep -v '^$' "$logs/$1.log" | tail -n 12 | cut -c1-200; fi
  finish "$1" "$status"
  return "$status"
}

# Runs tests and counts each: suite STEP SECONDS COMMAND...
suite() {
  local status good bad
  run "$@"
  status=$?
  read -r good bad < <(of_gates count_tests "$logs/$1.log")
  ((status != 0)) || grep -E ' (streams in|writes for) ' "$logs/$1.log"
  # A run without tests reports success.
  if ((status == 0 && good + bad == 0)); then echo "error: no test was run" >> "$logs/$1.log"; fi
  finish "$1" "$status" "$good" "$bad"
}

# Builds for release unless that has been done; a failure is counted once.
build() {
  [[ -z $is_built ]] || return 0
  if check build 900 swift build "${release[@]}" --build-tests; then is_built=yes; else is_built=no; fi
}

# Whether a step that needs the build can run; otherwise the step has failed.
can_run() {
  if [[ -z $is_built ]]; then
    build
    began=$SECONDS
  fi
  [[ $is_built == no ]] || return 0
  echo "error: cannot run, because the build has failed" > "$logs/$1.log"
  finish "$1" 1
  return 1
}

format() {
  local files
  mapfile -d '' files < <(find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0)
  ((${#files[@]} > 1)) || { echo "error: found no Swift files" && return 1; }
  swift format lint --strict --parallel --configuration ../../.swift-format "${files[@]}" \
    && echo "format: ${#files[@]} files"
}
export -f format

for step in "${steps[@]}"; do
  began=$SECONDS
  case $step in
    build)
      echo "== build: everything for release, with the tests"
      build
      ;;
    tests)
      echo "== tests: all but the load test, in release"
      can_run tests && suite tests 300 swift test "${release[@]}" --skip-build --skip LoadTests
      ;;
    load)
      echo "== load: 200 streams, ${EVENTS:-1000} events over HTTP, in release"
      can_run load && suite load 300 swift test "${release[@]}" --skip-build --filter LoadTests
      ;;
    costs)
      echo "== costs: what a post costs with and without the package, in one run"
      can_run costs && check costs 60 .build/release/Costs
      ;;
    samples)
      echo "== samples: every sample compiles as it is shown"
      can_run samples && check samples 180 ./samples.sh .build/release
      ;;
    documentation)
      echo "== documentation: the catalogues build without warnings"
      can_run documentation && check documentation 180 ./documentation.sh .build/release
      ;;
    format)
      echo "== format: layout and documentation comments"
      check format 120 bash -c format
      ;;
    imports)
      echo "== imports: every target declares the modules that it imports"
      check imports 60 ./imports.sh
      ;;
    debug)
      echo "== debug: swift test, as in the README"
      suite debug 1200 swift test
      ;;
    threads)
      echo "== threads: the tests of the libraries under ThreadSanitizer"
      suite threads 1200 env LIBRARIES_ONLY=1 swift test --no-parallel --sanitize thread \
        -Xswiftc -DTSAN --scratch-path .build/threads
      ;;
    *)
      echo "== $step"
      echo "error: there is no such step; the first lines of this script list them"
      failed=$((failed + 1))
      ;;
  esac
done

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
