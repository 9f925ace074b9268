#!/usr/bin/env bash
# the code that a program links has not grown
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The largest sizes that pass: of a stripped program that links all code of the libraries, less an empty one, in kB, and
# in bytes of machine code. They are a little above the present ones: a file grows in pages of 4 kB. Lower them when
# code has become smaller; raise one only together with a reason in the commit.
#
# SwiftPM emits debug information, and with it unwind tables for functions that never unwind (102 kB of EventBus), and
# one object for each file, so that the linker sees functions that the compiler would drop or merge (130 kB).
build_probe
build=.build/probe/release
echo 'print()' > "$work/size.swift"

# Prints the bytes of a program with the objects of some modules. The folders also hold objects of deleted files.
program_with() {
  local objects=() module file
  for module in "$@"; do
    while read -r file; do objects+=("$build/$module.build/${file##*/}.o"); done < <(swift_files "Sources/$module")
  done
  mapfile -t objects < <(ls -- "$work/size.swift" "${objects[@]}" 2> /dev/null)
  swiftc "${objects[@]}" -o "$work/size" && strip "$work/size" && stat -c %s "$work/size"
}
# bound TITLE SIZE LIMIT
bound() {
  echo "| $1 | $2 | at most $3 |"
  ((0 < $2 && $2 <= $3)) || fail "$1 has grown. The limits are in Scripts/gates/size.sh."
}
empty=$(program_with)
bound "linked code of EventBus, kB" $((($(program_with EventBus) - empty) / 1000)) 1190
bound "linked code of the three libraries, kB" $((($(program_with "${modules[@]}") - empty) / 1000)) 2640
# One function of HotPaths contains nothing but a loop around a post.
post=$(nm --print-size --radix=d "$build"/HotPaths.build/HotPaths.*o | awk '/ T [$]s8HotPaths4post/ { print $2 + 0 }')
bound "a loop around a post, bytes" "${post:-0}" 1480
