#!/usr/bin/env bash
# the same tests under ThreadSanitizer, with the lock it understands
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Left out are the files of suites that stay on one thread, where there is nothing to find: those that contain
# none of the words with which a test gets a second thread. A file cannot be forgotten: it takes part as soon
# as it contains one of them.
concurrency='\b(async|await|Task|onThreads|blockedOnThread|Thread|pthread|StartGate|Atomic|Mutex|Locked|'
concurrency+='SharedObserved|EventRecorder|every\(|after\()'
# A suite with exit tests, which are asynchronous and extend it from a separate file, takes part.
mapfile -t files < <(
  grep -rLE --include='*Tests.swift' "$concurrency" Tests | LC_ALL=C sort | while read -r file; do
    [[ -e ${file%Tests.swift}ExitTests.swift ]] || printf '%s\n' "$file"
  done
)
((${#files[@]} > 0)) || fail "found no suite that stays on one thread"

# So are values that are searched on one thread although a helper of theirs is asynchronous, and programs
# that real signals are sent to. ThreadSanitizer holds a signal back until the thread that received it calls into
# the runtime, so that what they wait for may never come. Their code runs here in the suites that inject signals, and
# in those of the values.
left_out=(LaunchMachineTests SignalBridgeTests SignalProcessTests AppHostProcessTests ParentWatchTests)
suites() { sed -nE 's/^(final )?(struct|class|enum|actor) (\w+Tests)\b.*/\3/p' "$@"; }
for suite in "${left_out[@]}"; do
  file=$(grep -rlE --include='*.swift' "(struct|class) $suite\\b" Tests) || fail "there is no suite $suite to leave out"
  for other in $(suites "$file"); do
    [[ " ${left_out[*]} " == *" $other "* ]] || fail "$file also contains $other, which takes part; move it to another file"
  done
  files+=("$file")
done
export TESTS_LEFT_OUT=${files[*]}

sanitized=(--sanitize thread -Xswiftc -DTSAN --scratch-path .build/tsan)
programs=$(programs_of_the_package)
mapfile -t programs <<< "$programs"
build_products "${sanitized[@]}" -- EventBusPackageTests "${programs[@]}"

status=0
(run_in_two tests-tsan "$(swift build "${sanitized[@]}" --show-bin-path)") || status=1
echo "${#files[@]} files of tests were left out."

# A report in a child process (an exit test) does not reach the status of the run.
for log in "$work"/tests-tsan{,-others}.log; do
  ! grep -q 'WARNING: ThreadSanitizer' "$log" || fail "ThreadSanitizer reported a race; see $log"
done
((status == 0)) || fail "see the lines above"
