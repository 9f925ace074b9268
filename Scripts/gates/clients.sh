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
mkdir -p "$work/clients"
for i in "${!client_kinds[@]}"; do
  while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
  rm -f "$work/clients/$i.failed"
  { check_client "${client_kinds[i]}" -I "$interfaces" > "$work/clients/$i.log" 2>&1 || touch "$work/clients/$i.failed"; } &
done
wait

failed=0
for i in "${!client_kinds[@]}"; do
  [[ -e $work/clients/$i.failed ]] || continue
  echo "${client_kinds[i]//$'\n'/}:"
  grep -A 3 -E '(error|warning): ' "$work/clients/$i.log" || cat "$work/clients/$i.log"
  failed=$((failed + 1))
done
((failed == 0)) || fail "$failed of ${#client_kinds[@]} kinds of clients do not compile"
echo "${#client_kinds[@]} kinds of clients."
