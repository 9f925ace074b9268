#!/usr/bin/env bash
# Measures the processor time that a clean release build of the libraries takes, beside two peers.
#
#   Benchmarks/build-time.sh            three rounds
#   Benchmarks/build-time.sh --rounds 1
#
# Every round builds each subject once, in turn, after deleting its objects; dependencies of a peer stay built.
# Prints the medians of user and system time, and the ratios of the peers in brackets. Deleted objects
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

# Prints the median of a subject.
median() {
  xargs -n 2 <<< "${times[$1]}" | awk '{ print $1 - $2 }' | sort -n \
    | awk '{ value[NR] = $1 } END { printf "%.1f\n", value[int((NR + 1) / 2)] }'
}

printf '| work | here | OpenCombine | ServiceLifecycle |\n| --- | ---: | ---: | ---: |\n'
for row in 'EventBus EventBus' 'all-three the three libraries'; do
  read -r title words <<< "$row"
  awk -v words="$words" -v here="$(median "$title")" -v first="$(median OpenCombine)" -v second="$(median ServiceLifecycle)" '
    BEGIN {
      printf "| clean release build of %s, processor time in seconds | %s | %s (%.2f×) | %s (%.2f×) |\n",
        words, here, first, first / here, second, second / here
    }'
done
echo
echo "Load average: $(cut -d ' ' -f 1-3 /proc/loadavg)"
