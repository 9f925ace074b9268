#!/usr/bin/env bash
# the same tests under ThreadSanitizer, with the lock it understands
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# One test at a time: side by side, and ten times slower, they would starve each other of the two or
# three threads there are until time limits are hit.
#
# Left out are the suites that stay on one thread, where there is nothing to find: those whose files
# contain none of the words with which a test gets a second thread. A suite cannot be forgotten: it takes
# part as soon as it contains one of them.
concurrency='\b(async|await|Task|onThreads|blockedOnThread|Thread|pthread|StartGate|Atomic|Mutex|Locked|'
concurrency+='SharedObserved|EventRecorder|every\(|after\()'
# So are values that are searched on one thread although a helper of theirs is asynchronous, and programs
# that real signals are sent to, or that fill a terminal and expect no reports on it. ThreadSanitizer holds
# a signal back until the thread that received it calls into the runtime, so that what they wait for may
# never come. Their code runs here in the suites that inject signals, and in those of the values.
left_out=(
  LaunchRegistryTests
  SignalBridgeTests SignalProcessTests ApplicationProcessTests ParentWatchTests
  ScreenKeysTests ScreenWaysOutTests ScreenWindowTests ScreenBackgroundTests ScreenColourTests
)
for suite in "${left_out[@]}"; do
  grep -rqE "(struct|class) $suite\\b" Tests || fail "there is no suite $suite to leave out"
done
mapfile -t alone < <(
  { grep -rLE --include='*Tests.swift' "$concurrency" Tests || true; } \
    | xargs sed -nE 's/^(final )?(struct|class) (\w+Tests)\b.*/\3/p' | LC_ALL=C sort -u
)
((${#alone[@]} > 0)) || fail "found no suite that stays on one thread"
skips=()
for suite in "${left_out[@]}" "${alone[@]}"; do skips+=(--skip "\\.$suite/"); done

sanitized=(--sanitize thread -Xswiftc -DTSAN --scratch-path .build/tsan)
build_tests "${sanitized[@]}"
run_tests tests-tsan --no-parallel "${skips[@]}" "${sanitized[@]}" --skip-build

# A report in a child process (an exit test) does not reach the status of the run.
! grep -q 'WARNING: ThreadSanitizer' "$work/tests-tsan.log" \
  || fail "ThreadSanitizer reported a race; see $work/tests-tsan.log"
