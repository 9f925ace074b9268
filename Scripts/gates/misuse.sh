#!/usr/bin/env bash
# misuse does not compile, or causes the expected warning
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The programs state the expected diagnostics in comments. With -verify the compiler fails if one of them
# is missing or reads differently, and if there are others.
mapfile -t files < <(swift_files Tests/Fixtures/Misuse)
for module in "${modules[@]}"; do
  grep -q "^import $module\$" "${files[@]}" || fail "Tests/Fixtures/Misuse does not import $module"
done

compile_libraries
flags=$(target_flags skins) || fail "cannot read the settings of the package"
mapfile -t flags <<< "$flags"
((${#flags[@]} > 2)) || fail "found no settings in Package.swift"
# The programs see only the public API. Notes at declarations of the libraries are not compared.
# verify MODE MODULE FLAG… FILE…
verify() {
  local mode=$1 module=$2 status=0
  shift 2
  swiftc -frontend "$mode" -verify -verify-ignore-unrelated -diagnostic-style llvm -parse-as-library \
    -module-name "$module" -package-name stranger -I "$interfaces" "$@" \
    > "$work/misuse.log" 2>&1 || status=$?
  # Prints each difference with the line of the program and, for comments, the enclosing declaration.
  grep -vE 'diagnostic produced elsewhere' "$work/misuse.log" | grep -A 2 -E '(error|warning): ' || true
  ((status == 0)) || fail "the diagnostics above differ from those that the programs expect"
}

verify -typecheck Misuse "${flags[@]}" "${files[@]}"
mapfile -t onMainActor < <(swift_files Tests/Fixtures/MainActorMisuse)
((${#onMainActor[@]} > 0)) || fail "found no programs whose default isolation is the main actor"
verify -typecheck MainActorMisuse "${flags[@]}" -default-isolation MainActor "${onMainActor[@]}"
# Values that leave their isolation are found after type checking, if that finds nothing.
mapfile -t leaving < <(swift_files Tests/Fixtures/RegionMisuse)
((${#leaving[@]} > 0)) || fail "found no programs whose values leave their isolation"
verify -emit-sil RegionMisuse "${flags[@]}" -o /dev/null "${leaving[@]}"
# With the settings of a new package.
mapfile -t ordinary < <(swift_files Tests/Fixtures/OrdinaryMisuse)
((${#ordinary[@]} > 0)) || fail "found no programs without upcoming features"
verify -typecheck OrdinaryMisuse -swift-version 6 "${ordinary[@]}"
files+=("${onMainActor[@]}" "${leaving[@]}" "${ordinary[@]}")
echo "$(grep -hE '// expected-(error|warning)' "${files[@]}" | wc -l) expected errors and warnings."
