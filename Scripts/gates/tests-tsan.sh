#!/usr/bin/env bash
# the same tests under ThreadSanitizer, with the lock it understands
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# One test at a time: side by side, and ten times slower, they would starve each other of the two or
# three threads there are until time limits are hit.
#
# Left out: searches through all that can happen to a value, which run on one thread, show nothing
# here, and take long; and programs that real signals are sent to, or that fill a terminal and do
# not expect reports on it. ThreadSanitizer holds a signal back until the thread it came to calls
# into it, so that what they wait for may never come. Their code is run here by the suites that
# inject signals, and by those of the values.
left_out=(
  ReclamationModelTests TimerScheduleTests LaunchRegistryTests ServiceMachineTests
  AppStateMachineTests TerminalColourTests

  SignalBridgeTests SignalProcessTests ApplicationProcessTests ParentWatchTests
  ScreenKeysTests ScreenWaysOutTests ScreenWindowTests ScreenBackgroundTests ScreenColourTests
)
skips=()
for suite in "${left_out[@]}"; do
  grep -rqE "(struct|class) $suite\\b" Tests || fail "there is no suite $suite to leave out"
  skips+=(--skip "$suite")
done
sanitized=(--sanitize thread -Xswiftc -DTSAN --scratch-path .build/tsan)
build_tests "${sanitized[@]}"
run_tests tests-tsan --no-parallel "${skips[@]}" "${sanitized[@]}" --skip-build

# A report in a child process (an exit test) does not reach the status of the run.
! grep -q 'WARNING: ThreadSanitizer' "$work/tests-tsan.log" \
  || fail "ThreadSanitizer reported a race; see $work/tests-tsan.log"
