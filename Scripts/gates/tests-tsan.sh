#!/usr/bin/env bash
# the same tests under ThreadSanitizer, with the lock it understands
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run_tests tests-tsan --sanitize thread -Xswiftc -DTSAN --scratch-path .build/tsan

# A report in a child process (an exit test) does not reach the status of the run.
! grep -q 'WARNING: ThreadSanitizer' "$work/tests-tsan.log" \
  || fail "ThreadSanitizer reported a race; see $work/tests-tsan.log"
