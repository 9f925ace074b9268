#!/usr/bin/env bash
# Checks that every gate can fail: copies the tree, checks that the gates pass there, then plants
# one fault at a time and runs the gate that must detect it.
#
#   Scripts/test-gates.sh                  all faults (takes as long as three runs of check.sh)
#   Scripts/test-gates.sh words layers     only the faults of these gates
#
# A gate passes this test if it fails on the fault and its output names the fault.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
gates=" $(Scripts/check.sh --list | tr '\n' ' ')"
chosen=" ${*:-$gates} "

# The copy is kept, which makes the next run build incrementally.
copy=$root/.build/test-gates
mkdir -p "$copy/.build"
find "$copy" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
git ls-files --cached --others --exclude-standard -z \
  | while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done \
  | xargs -0 cp -P --parents -t "$copy"
cd "$copy"
git init -q
git add -A
git -c user.name=gates -c user.email=gates@localhost -c commit.gpgsign=false \
  commit -q --no-verify -m "The tree as it is"

planted=0
unnoticed=0
covered=" "

# plant GATE MESSAGE TITLE <<'FAULT': runs the shell text FAULT in the copy, then the gate. The gate
# must fail, and its output must match MESSAGE.
plant() {
  local gate=$1 message=$2 title=$3 fault output=.build/planted.log
  fault=$(cat)
  covered+="$gate "
  [[ $chosen == *" $gate "* ]] || return 0
  planted=$((planted + 1))
  bash -euc "$fault"
  if [[ -z $(git status --porcelain) ]]; then
    echo "NOTHING   $gate: $title (the fault changed no file; adapt it to the code)"
    unnoticed=$((unnoticed + 1))
  elif Scripts/check.sh "$gate" > "$output" 2>&1; then
    echo "UNNOTICED $gate: $title"
    unnoticed=$((unnoticed + 1))
  elif ! grep -qE -- "$message" "$output"; then
    echo "ELSEWISE  $gate: $title (failed, but its output does not match '$message')"
    tail -n 15 "$output" | sed 's/^/          /'
    unnoticed=$((unnoticed + 1))
  else
    echo "noticed   $gate: $title"
  fi
  git checkout -q .
  git clean -fdq
}

echo "== the tree as it is"
# shellcheck disable=SC2086
Scripts/check.sh $chosen > .build/unplanted.log 2>&1 \
  || { tail -n 40 .build/unplanted.log; echo "The gates fail without a planted fault; repair the tree first."; exit 1; }
tail -n 20 .build/unplanted.log | grep -E '^  (passed|FAILED)'

echo "== with one fault each"
source Scripts/gates/faults.sh

for gate in $gates; do
  [[ $covered == *" $gate "* ]] && continue
  echo "NO FAULT  $gate: Scripts/gates/faults.sh plants no fault for it"
  unnoticed=$((unnoticed + 1))
done
for file in Scripts/gates/*.sh; do
  name=$(basename "$file" .sh)
  [[ $name == common || $name == faults || $gates == *" $name "* ]] && continue
  echo "UNLISTED  $file: Scripts/check.sh does not run this gate"
  unnoticed=$((unnoticed + 1))
done

# The counts that .ci/run prints, for a complete log and for a truncated one.
counts() {
  [[ $(bash -c 'source Scripts/gates/common.sh; count_tests /dev/stdin' <<< "$1") == "$2" ]] && return
  echo "MISCOUNT  expected '$2' of: $1"
  unnoticed=$((unnoticed + 1))
}
run='✔ Test "Runs after it failed after 3 seconds" passed after 0.002 seconds.
✔ Test plain() passed after 0.002 seconds.
✔ Test "Takes values" with 5 test cases passed after 0.010 seconds.
text without an end of line✔ Test "Prints" passed after 1.500 seconds.
✘ Test "Fails" recorded an issue at File.swift:1:1: Expectation failed
✘ Test "Fails" failed after 0.010 seconds with 2 issues.
✔ Suite "All" passed after 0.013 seconds.'
counts "$run"$'\n✘ Test run with 5 tests in 1 suite failed after 0.014 seconds with 2 issues.' "4 1"
counts "$run" "4 2"
counts "" "0 1"

echo "$planted faults planted, $unnoticed not detected as expected."
((unnoticed == 0))
