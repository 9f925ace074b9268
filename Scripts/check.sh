#!/usr/bin/env bash
# Runs the quick gates, every gate, or only the named ones.
#
#   Scripts/check.sh                       the quick gates, which every commit must pass
#   Scripts/check.sh --full                every gate; what .ci/run calls
#   Scripts/check.sh words layers          only these two
#   Scripts/check.sh --skip tests-debug    all but one; may be repeated
#   Scripts/check.sh --list                prints the names
#
# A gate is a file in Scripts/gates. Each gate runs in its own shell, because `set -e` has no effect
# inside a function that is called as a condition. Scripts/test-gates.sh plants faults for each gate
# and checks that the gate fails.
set -uo pipefail
cd "$(dirname "$0")/.."

# Cheap gates come first. If `build` fails, the later gates do not run.
quick=(
  format words measure workflow
  build layers platforms snippets misuse clients
  api documentation catalogs site
  tests-debug demo
)
# These gates compile everything again in other configurations, or for other systems.
slow=(cross tests-release premain foundation daemon specialized size publish tests-tsan)
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
