#!/usr/bin/env bash
# Builds this package and runs its checks: bash Integrations/Server/check.sh [--full] [STEP…]
#
# By default, from a debug build, which takes most of the time:
#   build          everything, the tests and the packages that it tests included
#   tests          the tests, without those that take many seconds; they start the server as a program
#   samples        every sample compiles as it is shown
#   port           the README of the port shows the whole program
#   documentation  the catalogs build without warnings
#   format         layout and documentation comments
#   imports        every target declares the modules that it imports
# With --full everything above from a build for release, with all tests, and also:
#   load           200 streams and 1,000 events; EVENTS=10000 posts another number
#   costs          the cost of logging, metrics and tracing, and of posts after their end
#   debug          all tests but the load test from a debug build
#   threads        the tests of the libraries under ThreadSanitizer
#
# Ends with one line: how many passed, how many failed. A step that cannot run is a failure.
source "$(dirname "${BASH_SOURCE[0]}")/../../Scripts/integrations/checks.sh"

steps=(build tests samples port documentation format imports)
full_steps=(load costs debug threads)
beside=(../Logging ../Metrics ../Tracing ../ServiceLifecycle)

# The server waits for its limit: six seconds for a supervisor.
slow=()
[[ -n $is_full ]] || slow=(--skip 'EventServerTests/drainDelay')

step_tests() { can_run && suite 300 swift test "${flags[@]}" --skip-build --skip LoadTests "${slow[@]}"; }
step_load() {
  can_run && suite 300 swift test "${flags[@]}" --skip-build --filter LoadTests
  grep -E ' (streams in|writes for) ' "$logs/load.log"
}
step_costs() { can_run && check 60 "$programs/Costs"; }
step_port() {
  check 30 "$scripts/examples.sh" Examples/RequestEvents/README.md Examples/RequestEvents
}
step_debug() { suite 1200 swift test "${shared_debug[@]}" --skip LoadTests; }
step_threads() {
  suite 1200 env LIBRARIES_ONLY=1 swift test --no-parallel --sanitize thread -Xswiftc -DTSAN \
    --scratch-path .build/threads
}

run_steps "$@"
