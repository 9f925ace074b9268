#!/usr/bin/env bash
# Builds this package and runs all its checks: bash Integrations/NATS/check.sh
#
# Installs nats-server, libnats and openssl where they are missing. Runs the tests, which start their own
# servers, compiles the samples and checks the format. Ends with one line: how many passed, how many failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

missing=()
[[ -n $(PATH=$PATH:/usr/sbin command -v nats-server) ]] || missing+=(nats-server)
command -v pkg-config > /dev/null || missing+=(pkg-config)
command -v openssl > /dev/null || missing+=(openssl)
pkg-config --exists libnats 2> /dev/null || missing+=(libnats-dev)
if ((${#missing[@]})); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y "${missing[@]}"; } \
    > /dev/null || echo "Could not install ${missing[*]}." >&2
fi

log=.build/check.log
mkdir -p .build
passed=0
failed=0

echo "== swift test"
timeout -k 30 900 swift test < /dev/null 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
# The line of Swift Testing: "Test run with 74 tests in 9 suites passed after 9.9 seconds."
total=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*/\1/p' "$log" | tail -1)
broken=$(grep -cE '^.{0,4}Test .* failed after' "$log")
if ((status != 0 && broken == 0)) || [[ -z $total ]]; then
  broken=1
fi
failed=$((failed + broken))
passed=$((passed + ${total:-$broken} - broken))

check() {
  echo "== $1"
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
formatted() {
  find Package.swift Sources Tests Examples Benchmarks -name '*.swift' -print0 \
    | xargs -0 swift format lint --strict --configuration ../../.swift-format
}
check samples ./samples.sh
check format formatted

((failed == 0)) || grep -E 'recorded an issue|error:' "$log" | head -40
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
