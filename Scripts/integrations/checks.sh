# The shape of the check.sh of a package in Integrations, which sources this file and then defines
#
#   steps        the steps that run by default; each is a function step_NAME, whose title is its line in
#                the comment at the head of check.sh
#   full_steps   the steps that --full adds
#   flags        the flags of `swift build` and `swift test`; if not set, those of a debug build, or with --full
#                of one for release
#
# and ends with `run_steps "$@"`. A step calls need, check, suite and finish. The last line of the output
# counts the passed and the failed checks. A step that cannot run is a failure.
set -uo pipefail
# Before the folder changes: the path of this file may be a relative one.
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$(dirname "${BASH_SOURCE[1]}")"

# Whether all checks run, not only the quick ones.
is_full=
[[ ${1:-} != --full ]] || is_full=yes
# One build folder for all packages: each uses the objects that an earlier one compiled. Debug information takes
# time and is of no use to the checks.
shared_debug=(--scratch-path "$(cd .. && pwd)/.build" -debug-info-format none)
shared_release=(-c release -Xswiftc -enable-testing "${shared_debug[@]}")
flags=("${shared_debug[@]}")
[[ -z $is_full ]] || flags=("${shared_release[@]}")
# Packages beside this one that it builds, and whose samples, documentation, layout and imports it checks.
beside=()
# The seconds that all steps together may take, on a machine of a third of the typical speed.
budget=1200
logs=$PWD/.build/check
mkdir -p "$logs"
passed=0
failed=0
is_built=
# The folder of the built programs.
programs=
# The step that runs, and its beginning.
step=
began=0

# The functions that count and print tests are those of the repository's own gates.
of_gates() (
  source "$scripts/../gates/common.sh"
  "$@"
)

# The session of the command that runs: a test that hangs is in its own process group, and would outlive it.
session=
leave() {
  if [[ -z $session ]]; then return; fi
  # `pkill` belongs to procps, which a minimal system lacks.
  if command -v pkill > /dev/null; then pkill -KILL -s "$session"; else kill -KILL -- "-$session"; fi 2> /dev/null
}
trap 'leave; exit 130' INT TERM

# Runs a command with its output in the log of the step: run SECONDS COMMAND...
run() {
  local limit=$1 left=$((budget - SECONDS)) status
  shift
  ((limit < left)) || limit=$left
  if ((limit <= 0)); then
    echo "error: no time is left: the checks have taken $budget s" >> "$logs/$step.log"
    return 124
  fi
  setsid timeout -k 10 "$limit" "$@" < /dev/null >> "$logs/$step.log" 2>&1 &
  session=$!
  wait "$session"
  status=$?
  leave
  session=
  case $status in
    124 | 137) printf '\n%s\n' "error: not ended within $limit s: $*" >> "$logs/$step.log" ;;
  esac
  return "$status"
}

# Counts and prints the result of the step: finish STATUS [PASSED FAILED]
finish() {
  local status=$1 good=${2:-} bad=${3:-}
  if [[ -z $good ]]; then
    good=$((status == 0 ? 1 : 0))
    bad=$((1 - good))
  elif ((status != 0 && bad == 0 || good + bad == 0)); then
    bad=$((bad + 1))
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  if ((bad > 0)); then
    if grep -q 'Test run started' "$logs/$step.log"; then
      of_gates print_failures "$logs/$step.log"
      tail -n 3 "$logs/$step.log" | cut -c1-300
    else
      # Errors of a compiler may be far above.
      grep -A 3 'error:' "$logs/$step.log" | head -n 40 | cut -c1-300
      tail -n 15 "$logs/$step.log" | cut -c1-300
    fi
    echo "FAILED: $step (the log is $logs/$step.log)"
  fi
  echo "   $good passed, $bad failed, $((SECONDS - began)) s"
}

# Runs a command that is one check: check SECONDS COMMAND...
check() {
  local status
  run "$@"
  status=$?
  # The counts or measurements of the command; the output of a build is of no interest.
  if ((status == 0)) && [[ $2 != swift ]]; then
    grep -v '^$' "$logs/$step.log" | tail -n 12 | cut -c1-200
  fi
  finish "$status"
  return "$status"
}

# Runs Swift tests and counts each: suite SECONDS COMMAND...
suite() {
  local status good bad
  run "$@"
  status=$?
  read -r good bad < <(of_gates count_tests "$logs/$step.log")
  # A run without tests reports success.
  if ((good + bad == 0)); then echo "error: no test was run" >> "$logs/$step.log"; fi
  # A count that could not be taken is also a failure.
  finish "$status" "${good:-0}" "${bad:-0}"
}

# Installs missing tools, as packages of Debian; a tool that cannot be installed fails the step:
# need COMMAND:PACKAGE... || return
need() {
  local tool packages=() missing=() as_root=()
  for tool in "$@"; do has "${tool%%:*}" || packages+=("${tool##*:}"); done
  ((${#packages[@]})) || return 0
  ((EUID == 0)) || as_root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  run 600 "${as_root[@]}" apt-get update
  run 600 "${as_root[@]}" apt-get install -y --no-install-recommends "${packages[@]}"
  hash -r
  for tool in "$@"; do has "${tool%%:*}" || missing+=("${tool%%:*}"); done
  ((${#missing[@]})) || return 0
  echo "error: missing, and not to be installed: ${missing[*]}" >> "$logs/$step.log"
  finish 1
  return 1
}

# Whether there is a command, a module of Python (NAME.py), a library (NAME.pc), or a font (fonts).
has() {
  case $1 in
    fonts) [[ -d /usr/share/fonts/truetype ]] ;;
    *.py) python3 -c "import ${1%.py}" 2> /dev/null ;;
    *.pc) pkg-config --exists "${1%.pc}" 2> /dev/null ;;
    *) command -v "$1" > /dev/null ;;
  esac
}

# Builds everything, the tests included, unless that has been done; a failure is counted once.
build() {
  [[ -z $is_built ]] || return 0
  is_built=no
  check 900 swift build "${flags[@]}" --build-tests || return
  programs=$(swift build "${flags[@]}" --show-bin-path) && is_built=yes
}

# Whether a step that needs the build can run; otherwise the step has failed: can_run || return
can_run() {
  local own=$step
  if [[ -z $is_built ]]; then
    step=build
    : > "$logs/build.log"
    build
    step=$own
    began=$SECONDS
  fi
  [[ $is_built == no ]] || return 0
  echo "error: cannot run, because the build has failed" >> "$logs/$step.log"
  finish 1
  return 1
}

# The steps that the packages have in common.
step_build() { build; }
step_samples() { can_run && check 180 "$scripts/each.sh" . "${beside[@]}" -- "$scripts/samples.sh" "$programs"; }
step_documentation() {
  need jq:jq || return
  can_run && check 180 "$scripts/each.sh" "${beside[@]:-.}" -- "$scripts/documentation.sh" "$programs"
}
step_format() { check 120 "$scripts/each.sh" . "${beside[@]}" -- "$scripts/format.sh"; }
step_imports() {
  need jq:jq || return
  check 60 "$scripts/each.sh" . "${beside[@]}" -- "$scripts/imports.sh"
}

# Runs the steps of the command line, or the default ones, and prints the result:
# run_steps [--full] [STEP...]
run_steps() {
  if [[ ${1:-} == --full ]]; then
    shift
    steps+=("${full_steps[@]}")
    budget=3600
  fi
  (($# == 0)) || steps=("$@")
  for step in "${steps[@]}"; do
    began=$SECONDS
    echo "== $step: $(sed -nE "s/^#   $step +//p" "${0##*/}")"
    if ! declare -F "step_$step" > /dev/null; then
      echo "error: there is no such step; the first lines of check.sh list them"
      failed=$((failed + 1))
      continue
    fi
    : > "$logs/$step.log"
    "step_$step"
  done
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}
