#!/usr/bin/env bash
# Measures the processor time that a clean release build of the libraries takes, beside two peers.
#
#   Benchmarks/build-time.sh            three rounds
#   Benchmarks/build-time.sh --rounds 1
#
# Every round builds each subject once, in turn, after deleting its objects; dependencies of a peer stay built.
# Prints the median of user and system time, and its ratio to that of the first peer. Deleted objects
# belong to this package only: the next benchmark links again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

rounds=3
case ${1:-} in
  --rounds) rounds=${2:?"--rounds needs a number"} ;;
  '') ;;
  *) echo "Unknown argument $1; the head of this file lists them." >&2; exit 2 ;;
esac

# Each subject: its title, then its modules, lowest first.
subjects=(
  'OpenCombine OpenCombine'
  'ServiceLifecycle UnixSignals ServiceLifecycle'
  'EventBus EventBus'
  'all-three EventBus LaunchLoader Theming'
)

targets=(OpenCombine ServiceLifecycle EventBus LaunchLoader Theming)
for target in "${targets[@]}"; do
  # Planned again, because files may have been added or removed.
  swift build -c release --disable-build-manifest-caching --target "$target" > /dev/null
done
folder=$(swift build -c release --show-bin-path)

# Prints the processor time in seconds of builds of these modules.
builds() {
  local TIMEFORMAT='%U %S' module
  { time for module in "$@"; do swift build -c release --target "$module" > /dev/null 2>&1; done; } 2>&1 \
    | awk '{ print $1 + $2 }'
}

declare -A times
for ((round = 1; round <= rounds; round++)); do
  for subject in "${subjects[@]}"; do
    read -r title modules <<< "$subject"
    # The time of the command itself when there is nothing to build.
    # shellcheck disable=SC2086
    idle=$(builds $modules)
    for module in $modules; do
      # Its list of files is kept: only planning writes it.
      find "$folder/$module.build" -type f ! -name '*.json' -delete
      rm -f "$folder/Modules/$module.swiftmodule"
    done
    # shellcheck disable=SC2086
    times[$title]+="$(builds $modules) $idle "
    for module in $modules; do
      [[ -e $folder/Modules/$module.swiftmodule ]] || { echo "$module was not built." >&2; exit 1; }
    done
  done
done

printf '| clean release build | processor time, s | of OpenCombine |\n| --- | ---: | ---: |\n'
reference=''
for subject in "${subjects[@]}"; do
  read -r title _ <<< "$subject"
  median=$(xargs -n 2 <<< "${times[$title]}" | awk '{ print $1 - $2 }' | sort -n \
    | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }')
  reference=${reference:-$median}
  awk -v title="$title" -v median="$median" -v reference="$reference" \
    'BEGIN { printf "| %s | %.1f | %.2f × |\n", title, median, median / reference }'
done
echo
echo "Load average: $(cut -d ' ' -f 1-3 /proc/loadavg)"
