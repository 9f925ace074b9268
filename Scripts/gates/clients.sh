#!/usr/bin/env bash
# clients of every kind compile without warnings: language modes, isolation of modules, C++
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for folder in "$clients"/*/; do
  folder=$(basename "$folder")
  [[ $folder == Every || " ${client_kinds[*]} " == *" $folder "* ]] || fail "no kind of client compiles $clients/$folder"
done
for module in "${modules[@]}"; do
  grep -rq "^import $module\$" "$clients/Every" || fail "$clients/Every does not import $module"
done

compile_libraries
check() { echo "$1:" && check_client "$1" -I "$interfaces"; }
in_parallel check "${client_kinds[@]}" || fail "$problems of ${#client_kinds[@]} kinds of clients do not compile"
echo "${#client_kinds[@]} kinds of clients."
