#!/usr/bin/env bash
# the same tests under ThreadSanitizer, with a lock that it supports
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Tests run one at a time: in parallel, and ten times slower, they would starve each other of the few
# threads until time limits expire.
#
# Two kinds of suites are skipped. Exhaustive searches of a value run on one thread, find nothing here,
# and take long. Programs that receive real signals may wait for ever, because ThreadSanitizer delays a
# signal until its thread calls into the runtime, and programs on a terminal do not expect reports there.
# The suites that inject signals, and the tests of the values, cover the code of both.
left_out=(
  ReclamationModelTests TimerScheduleTests LaunchRegistryTests ServiceMachineTests
  AppStateMachineTests TerminalColourTests

  SignalBridgeTests SignalProcessTests ApplicationProcessTests ParentWatchTests
  ScreenKeysTests ScreenWaysOutTests ScreenWindowTests ScreenBackgroundTests ScreenColourTests
)
skips=()
for suite in "${left_out[@]}"; do
  grep -rqE "(struct|class) $suite\\b" Tests || fail "there is no suite $suite to skip"
  skips+=(--skip "$suite")
done
sanitized=(--sanitize thread -Xswiftc -DTSAN --scratch-path .build/tsan)
build_tests "${sanitized[@]}"
run_tests tests-tsan --no-parallel "${skips[@]}" "${sanitized[@]}" --skip-build

# A report in a child process (an exit test) does not affect the status of the run.
! grep -q 'WARNING: ThreadSanitizer' "$work/tests-tsan.log" \
  || fail "ThreadSanitizer reported a race; see $work/tests-tsan.log"
