#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/NATS/check.sh [--full]
#
# Installs nats-server, libnats and openssl where they are missing. Runs the tests, which start their own
# servers, compiles the samples and checks the format. With --full it also runs the tests that need no server
# under ThreadSanitizer, and the benchmark. Ends with one line: how many passed, how many failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export PATH=$PATH:/usr/sbin

tools=(nats-server:nats-server pkg-config:pkg-config openssl:openssl)
missing=()
for tool in "${tools[@]}"; do
  command -v "${tool%%:*}" > /dev/null || missing+=("${tool##*:}")
done
pkg-config --exists libnats 2> /dev/null || missing+=(libnats-dev)
if ((${#missing[@]})); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y "${missing[@]}"; } \
    > /dev/null || echo "Could not install ${missing[*]}." >&2
fi

mkdir -p .build
passed=0
failed=0

# Runs a command that counts as one check: check NAME SECONDS COMMAND...
check() {
  echo "== $1"
  if timeout -k 30 "$2" "${@:3}" < /dev/null; then
    passed=$((passed + 1))
  else
    echo "FAILED: $1" >&2
    failed=$((failed + 1))
  fi
}

# Runs `swift test` and counts its tests: suite NAME SECONDS ARGUMENT...
suite() {
  local log=.build/check-$1.log status total broken
  echo "== swift test: $1"
  timeout -k 30 "$2" swift test "${@:3}" < /dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  # The lines of Swift Testing:
  #   ✘ Test "A title" failed after 9.9 seconds with 1 issue.
  #   ✔ Test run with 74 tests in 9 suites passed after 9.9 seconds.
  total=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*(passed|failed) after.*/\1/p' "$log" | tail -1)
  broken=$(grep -E '^[^ ]+ Test .* failed after ' "$log" | grep -cvE '^[^ ]+ Test run with [0-9]+ test')
  # Without a last line, or without a test, or with a status that no test explains, something else failed.
  if [[ -z $total ]] || ((total == 0 || (status != 0 && broken == 0))); then
    broken=$((broken + 1))
  fi
  if ((broken > 0)); then
    failed=$((failed + broken))
    grep -E 'recorded an issue|error:|Fatal error|WARNING: ThreadSanitizer' "$log" | cut -c1-300 \
      | head -40
  fi
  if ((${total:-0} > broken)); then passed=$((passed + total - broken)); fi
}

formatted() {
  find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0 \
    | xargs -0 swift format lint --strict --configuration ../../.swift-format
}
export -f formatted

available() {
  local tool
  for tool in nats-server pkg-config openssl swift; do
    command -v "$tool" > /dev/null || { echo "$tool is missing" >&2; return 1; }
  done
  pkg-config --exists libnats || { echo "libnats is missing" >&2; return 1; }
}
export -f available

check tools 60 bash -c available
suite tests 900
check samples 300 ./samples.sh
check format 120 bash -c formatted
if [[ ${1:-} == --full ]]; then
  # The client library is not instrumented: only what runs without it. One after the other, as the first use of
  # generic types by hundreds of threads at once can hang in the runtime under ThreadSanitizer.
  suite threads 1500 --no-parallel --sanitize=thread -Xswiftc -DTSAN --scratch-path .build/tsan \
    --filter 'WireTests|RuleTests|ScriptedBridgeTests|EndingTests|OwnEventTests|DeadLetterTests|LimitTests'
  check benchmark 1500 swift run -c release Throughput
fi

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
