#!/usr/bin/env bash
# the same tests under ThreadSanitizer, with the lock it understands
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# One test at a time: side by side, and ten times slower, they would starve each other of the two or
# three threads there are until time limits are hit. The search through the model of the reclamation
# runs on one thread and shows nothing here.
run_tests tests-tsan --no-parallel --skip ReclamationModelTests --sanitize thread -Xswiftc -DTSAN --scratch-path .build/tsan

# A report in a child process (an exit test) does not reach the status of the run.
! grep -q 'WARNING: ThreadSanitizer' "$work/tests-tsan.log" \
  || fail "ThreadSanitizer reported a race; see $work/tests-tsan.log"
