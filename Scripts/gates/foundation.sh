#!/usr/bin/env bash
# a program that uses all three libraries links no Foundation
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_probe
program=.build/probe/release/Probe
"$program" > /dev/null || fail "the probe does not run"

# A dynamically linked program lists the libraries it needs.
needed=$(readelf --dynamic "$program" | grep NEEDED)
grep -q libswiftCore <<< "$needed" || fail "cannot read what $program links"
for module in "${modules[@]}"; do
  grep -q "^import $module\$" Tests/Fixtures/Probe/Sources/Probe/*.swift || fail "the probe does not import $module"
done
! grep -iE 'foundation|libicu|observation' <<< "$needed" \
  || fail "Foundation or Observation is linked (see the lines above)"

# A statically linked program has no such list, but contains the libraries' symbols.
build_premain "${static_build[@]}"
program=$(swift build "${static_build[@]}" --show-bin-path)/PreMainFixture
for module in "${modules[@]}"; do
  grep -q "^import $module\$" Tests/Fixtures/PreMain/Program/*.swift \
    || fail "Tests/Fixtures/PreMain/Program does not import $module"
done
nm "$program" > "$work/static.symbols"
grep -q '_swift_release_' "$work/static.symbols" || fail "cannot read the symbols of $program"
count=$(grep -cE '10Foundation|20FoundationEssentials|_CFRuntime' "$work/static.symbols" || true)
((count == 0)) || fail "the static program contains $count symbols of Foundation"
# The products beside the libraries, by their mangled names.
for part in "${parts[@]}"; do
  count=$(grep -c "${#part}$part" "$work/static.symbols" || true)
  ((count == 0)) || fail "the static program contains $count symbols of $part, which no library may use"
done
strip -o "$work/static.stripped" "$program"
echo "Static and stripped: $(($(stat -c %s "$work/static.stripped") / 1024)) KiB."
