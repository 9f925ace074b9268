#!/usr/bin/env bash
# the same tests, with optimized libraries
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The tests themselves are not optimized, so the objects of the debug build serve: they are linked with the
# optimized objects of everything they test. Both builds must declare the same, and no declaration may depend
# on the configuration. Rounds.swift does in the body of a function.
mapfile -t files < <(swift_files Sources Examples Tests)
conditional=$(grep -nE '^ *#(else)?if .*\bDEBUG\b' "${files[@]}" | grep -v '^Tests/TestSupport/Rounds.swift:' || true)
[[ -z $conditional ]] \
  || fail "tests of the debug build must fit the optimized libraries; remove the conditions on DEBUG:" \
    $'\n'"$conditional"

swift build --build-tests || fail "the tests do not build"
programs=$(programs_of_the_package)
mapfile -t programs <<< "$programs"
build_products -c release -- "${programs[@]}"
for target in TestSupport "${parts[@]}"; do
  swift build -c release --target "$target" || fail "$target does not build optimized"
done
debug=$(swift build --show-bin-path)
release=$(swift build -c release --show-bin-path)

# The objects of the tests, of their list and of their entry point stay; all others are replaced.
mapfile -t kept < <(
  jq -r '.targets[] | select(.type == "test") | .name' "$work/package.json"
  printf '%s\n' EventBusPackageDiscoveredTests EventBusPackageTests
)
objects=$work/tests-release.objects
replaced=0
while read -r object; do
  target=${object%.build/*}
  if [[ " ${kept[*]} " != *" ${target##*/} "* ]]; then
    # Only a debug build wraps the interface of a module for the debugger.
    [[ $object != *.swiftmodule.o ]] || continue
    object=$release${object#"$debug"}
    [[ -e $object ]] || fail "the optimized build left no $object"
    replaced=$((replaced + 1))
  fi
  printf '%s\n' "$object"
done < "$debug/EventBusPackageTests.product/Objects.LinkFileList" > "$objects"
((replaced > 0)) || fail "no object of the debug build was replaced by an optimized one"
tests=$release/EventBusPackageTests.xctest
swiftc -emit-executable -module-name EventBusPackageTests -L "$release" "@$objects" \
  -Xlinker '-rpath=$ORIGIN' -o "$tests" || fail "the tests do not link with the optimized libraries"
run_tests tests-release "$tests" --testing-library swift-testing
