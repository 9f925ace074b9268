#!/usr/bin/env bash
# Runs the quick gates and the tests, every gate, or only the named ones.
#
#   Scripts/check.sh                 the quick gates, which every commit must pass
#   Scripts/check.sh --full          every gate, the packages in Integrations, and a tenth of the planted faults
#   Scripts/check.sh words layers    only these two; --quick stands for the quick ones
#   Scripts/check.sh --skip tests    all but one; may be repeated
#   Scripts/check.sh --list          prints the names
#
# A gate is a file in Scripts/gates. Each gate runs in its own shell, because `set -e` has no effect
# inside a function that is called as a condition. Scripts/test-gates.sh checks that each can fail.
set -uo pipefail
cd "$(dirname "$0")/.."

# Cheap gates come first. If `build` fails, the later gates do not run.
quick=(format words measure build layers platforms snippets misuse clients api documentation demo tests)
# These gates compile everything again in other configurations, or for other systems.
slow=(storms tests-release tests-tsan terminal cross premain foundation daemon specialized size publish site integrations faults)
gates=("${quick[@]}" "${slow[@]}")

known() {
  local gate
  for gate in "${gates[@]}"; do [[ $gate == "$1" ]] && return 0; done
  echo "There is no gate named '$1'. Scripts/check.sh --list prints the names." >&2
  exit 2
}

chosen=()
skipped=" "
full=0
while (($#)); do
  case $1 in
    --list)
      printf '%s\n' "${gates[@]}"
      exit 0
      ;;
    --full) full=1 ;;
    --quick) chosen+=("${quick[@]}") ;;
    --skip)
      known "${2:-}"
      skipped+="$2 "
      shift
      ;;
    *)
      known "$1"
      chosen+=("$1")
      ;;
  esac
  shift
done
if ((full)); then
  chosen=("${gates[@]}")
  # All samples run, on a build of their package, and the packages in Integrations run all of their steps.
  export CHECK_FULL=1
elif ((${#chosen[@]} == 0)); then
  chosen=("${quick[@]}")
fi

outputs=.build/gates/outputs
mkdir -p "$outputs"

failed=()
summary=""
for gate in "${chosen[@]}"; do
  [[ $skipped == *" $gate "* ]] && continue
  printf '\n== %s: %s\n' "$gate" "$(sed -n '2s/^# //p' "Scripts/gates/$gate.sh")"
  began=$SECONDS
  if bash "Scripts/gates/$gate.sh" < /dev/null 2>&1 | tee "$outputs/$gate.log"; then
    verdict=passed
  else
    verdict=FAILED
    failed+=("$gate")
  fi
  summary+=$(printf '  %-6s  %4d s  %s' "$verdict" $((SECONDS - began)) "$gate")$'\n'
  if [[ $verdict == FAILED && $gate == build ]]; then
    summary+="  The later gates did not run."$'\n'
    break
  fi
done

printf '\n%s' "$summary"
if ((${#failed[@]})); then
  # Repeated at the end, for readers who see only the last lines of a long run.
  for gate in "${failed[@]}"; do
    printf '\n== %s failed:\n' "$gate"
    tail -n 30 "$outputs/$gate.log"
  done
  echo "Failed: ${failed[*]}. Run one again with Scripts/check.sh ${failed[0]}"
  exit 1
fi
echo "All ${#chosen[@]} gates passed, in $((SECONDS / 60)) min $((SECONDS % 60)) s."
