#!/usr/bin/env bash
# Prints the flags with which a compiler finds the modules that the package manager has built, one per
# line: module-flags.sh FOLDER_OF_PROGRAMS
set -euo pipefail

build=$1
printf '%s\n' -I "$build/Modules"
for include in "$build"/../../checkouts/*/Sources/*/include; do
  [[ -d $include ]] && printf '%s\n' -Xcc "-I$include"
done
# Modules of the libraries of the system, and of C targets.
roots=("$build/")
[[ ! -d Sources ]] || roots+=(Sources)
find "${roots[@]}" -name module.modulemap \( -path 'Sources/*' -o -path '*.build/*' \) -printf '%p\n' \
  | while IFS= read -r map; do printf '%s\n' -Xcc "-fmodule-map-file=$map"; done
