#!/usr/bin/env bash
# clients of every kind compile without warnings: language modes, isolation of modules, C++
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Each kind of client: a folder of programs, which are compiled with those in Every, and the settings of their
# author. Xcode 26 turns the features below on in new projects.
approachable="-enable-upcoming-feature InferIsolatedConformances
  -enable-upcoming-feature NonisolatedNonsendingByDefault -enable-upcoming-feature MemberImportVisibility"
kinds=(
  "Plain -swift-version 5"
  "Plain -swift-version 6"
  "Plain -swift-version 6 $approachable"
  "Plain -swift-version 6 -cxx-interoperability-mode=default"
  "MainActor -swift-version 5 -default-isolation MainActor"
  "MainActor -swift-version 6 -default-isolation MainActor"
  "MainActor -swift-version 5 -default-isolation MainActor $approachable"
  "MainActor -swift-version 6 -default-isolation MainActor $approachable"
)
# The snippet of the article about the main actor, which the gate `snippets` compiles without that setting.
snippet=Snippets/LaunchLoader/OnTheMainActor.swift
kinds+=("$snippet -swift-version 5 -default-isolation MainActor" "$snippet -swift-version 6 -default-isolation MainActor")
clients=Tests/Fixtures/Clients

for folder in "$clients"/*/; do
  folder=$(basename "$folder")
  [[ $folder == Every || " ${kinds[*]} " == *" $folder "* ]] || fail "no kind of client compiles $clients/$folder"
done
for module in "${modules[@]}"; do
  grep -rq "^import $module\$" "$clients/Every" || fail "$clients/Every does not import $module"
done

compile_libraries
mkdir -p "$work/clients"
compile() {
  local folder=${1%% *} files=("${1%% *}")
  if [[ $folder != *.swift ]]; then
    mapfile -t files < <(swift_files "$clients/Every" "$clients/$folder")
    files=(-parse-as-library "${files[@]}")
  fi
  # shellcheck disable=SC2086
  swiftc -typecheck -wmo -warnings-as-errors -module-name Client -package-name stranger \
    -I "$interfaces" ${1#* } "${files[@]}" > "$work/clients/$2.log" 2>&1
}
for i in "${!kinds[@]}"; do
  while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
  rm -f "$work/clients/$i.failed"
  { compile "${kinds[i]}" "$i" || touch "$work/clients/$i.failed"; } &
done
wait

failed=0
for i in "${!kinds[@]}"; do
  [[ -e $work/clients/$i.failed ]] || continue
  echo "${kinds[i]//$'\n'/}:"
  grep -A 3 -E '(error|warning): ' "$work/clients/$i.log" || cat "$work/clients/$i.log"
  failed=$((failed + 1))
done
((failed == 0)) || fail "$failed of ${#kinds[@]} kinds of clients do not compile"
echo "${#kinds[@]} kinds of clients."
