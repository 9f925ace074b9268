#!/usr/bin/env bash
# Prints the size that the libraries add to a program that links all of their code, built for release and stripped.
#
#   Scripts/size.sh              the table
#   Scripts/size.sh --largest    the table, then the largest objects and functions of EventBus
#   Scripts/size.sh --in FOLDER  the table, of the objects in this folder of a release build
#
# The program is linked dynamically against Swift's libraries. Its size is that of its file, less the size of
# an empty program; text is machine code, unwind the tables for unwinding the stack. All figures are kB.
#
# The goals are those of a build by SwiftPM, which chooses to emit debug information, and with it unwind tables
# for functions that never unwind (102 kB of EventBus), and one object for each file, so that the linker sees
# functions that the compiler would drop or merge (130 kB). In one object without debug information, EventBus
# takes 980 kB.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == --in ]]; then
  build=${2:?"--in needs a folder"}
else
  swift build -c release > /dev/null
  build=$(swift build -c release --show-bin-path)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'print()' > "$work/main.swift"

# The objects of a module; the folder may also hold objects of files that no longer exist.
objects_of() {
  find "Sources/$1" -name '*.swift' -printf '%f.o\n' | LC_ALL=C sort | while read -r name; do
    if [[ -e $build/$1.build/$name ]]; then echo "$build/$1.build/$name"; fi
  done
}

# The size of a program with the objects of some modules: the file, the text and the unwind tables.
measure() {
  local objects=()
  for module in "$@"; do mapfile -t -O "${#objects[@]}" objects < <(objects_of "$module"); done
  swiftc "$work/main.swift" "${objects[@]}" -o "$work/program"
  strip "$work/program"
  size -A "$work/program" | awk -v file="$(stat -c %s "$work/program")" '
    $1 == ".text" { text = $2 }
    $1 == ".eh_frame" || $1 == ".eh_frame_hdr" || $1 == ".gcc_except_table" { unwind += $2 }
    END { print file, text, unwind }'
}

# Prints one line: a title, the goal, and the sizes of modules.
row() {
  local title=$1 goal=$2
  shift 2
  read -r file text unwind < <(measure "$@")
  awk -v title="$title" -v goal="$goal" -v file="$((file - empty))" -v text="$text" -v unwind="$unwind" 'BEGIN {
    printf "%-28s %8.0f %8s %8.0f %8.0f\n", title, file / 1000, goal, text / 1000, unwind / 1000 }'
}

read -r empty _ _ < <(measure)
printf '%-28s %8s %8s %8s %8s\n' 'kB' stripped goal text unwind
row EventBus 1220 EventBus
row 'all three' 2690 EventBus LaunchLoader Theming

if [[ ${1:-} == --largest ]]; then
  echo; echo 'Objects of EventBus by text, in bytes:'
  objects_of EventBus | xargs size | awk 'NR > 1 { print $1, $6 }' | sort -rn | head -30
  echo; echo 'Functions of EventBus, in bytes:'
  objects_of EventBus | xargs nm --print-size --size-sort --radix=d | awk '$3 ~ /[tT]/ { print $2 + 0, $4 }' \
    | sort -rn | head -40 | swift demangle --simplified
fi
