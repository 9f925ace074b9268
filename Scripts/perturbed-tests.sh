#!/usr/bin/env bash
# Runs the tests under a scheduler that delays some jobs, which makes rare schedules common.
#
#   Scripts/perturbed-tests.sh                     five seeds, each with mild and harsh delays
#   Scripts/perturbed-tests.sh 20                  twenty seeds
#   Scripts/perturbed-tests.sh 20 --filter Timer   only these tests
#
# Not a gate: its findings depend on chance, and a change must not fail by chance. Run it with more
# seeds after work on code that waits. A seed repeats the random numbers, not the schedule, which also
# depends on the system. Stress tests are skipped because they perturb themselves, and so are searches
# of a model on one thread. Linux only.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ $(uname) == Linux ]] || { echo "Perturbed tests need LD_PRELOAD and run on Linux only." >&2; exit 2; }
seeds=${1:-5}
[[ $seeds =~ ^[1-9][0-9]*$ ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shift || true

work=.build/perturbed
mkdir -p "$work"
compiler=$(dirname "$(readlink -f "$(command -v swift)")")/clang
"$compiler" -std=c17 -Wall -Wextra -Werror -O2 -fPIC -shared Scripts/Perturb/perturb.c \
  -o "$work/perturb.so"
swift build --build-tests
tests=$(swift build --show-bin-path)/EventBusPackageTests.xctest

failed=0
for ((seed = 1; seed <= seeds; seed++)); do
  # Percentage of delayed jobs, percentage of delayed senders, longest delay in microseconds.
  for chances in "5 10 2000" "30 20 4000"; do
    read -r late pause longest <<< "$chances"
    log=$work/$seed-$late.log
    if LD_PRELOAD=$PWD/$work/perturb.so PERTURB_SEED=$seed PERTURB_LATE=$late \
      PERTURB_PAUSE=$pause PERTURB_MICROSECONDS=$longest \
      timeout -k 10 900 "$tests" --testing-library swift-testing --no-parallel \
      --skip Storm --skip Contention --skip ReclamationModelTests "$@" > "$log" 2>&1 < /dev/null; then
      echo "seed $seed, $chances: $(tail -n 1 "$log")"
    else
      failed=$((failed + 1))
      echo "seed $seed, $chances: FAILED, see $log"
      grep -E ' recorded an issue |Fatal error' "$log" || tail -n 1 "$log"
    fi
  done
done
((failed == 0)) || { echo "$failed runs failed."; exit 1; }
