#!/usr/bin/env bash
# a program that uses all three libraries links no Foundation
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_probe
program=.build/probe/release/Probe
"$program" > /dev/null || fail "the probe does not run"

# Linked as usual, the libraries it needs say it.
needed=$(readelf --dynamic "$program" | grep NEEDED)
grep -q libswiftCore <<< "$needed" || fail "cannot read what $program links"
for module in "${modules[@]}"; do
  grep -q "^import $module\$" Scripts/Probe/Sources/Probe/*.swift || fail "the probe lacks $module"
done
! grep -iE 'foundation|libicu' <<< "$needed" || fail "Foundation is linked (see the lines above)"

# Linked statically there is no such list; then its symbols are in the program itself.
build_static_probe
program=.build/probe-static/release/Probe
"$program" > /dev/null || fail "the static probe does not run"
nm "$program" > "$work/probe.symbols"
grep -q '_swift_release_' "$work/probe.symbols" || fail "cannot read the symbols of $program"
count=$(grep -cE '10Foundation|20FoundationEssentials|_CFRuntime' "$work/probe.symbols" || true)
((count == 0)) || fail "the static program holds $count symbols of Foundation"
strip -o "$work/probe.stripped" "$program"
echo "Static and stripped: $(($(stat -c %s "$work/probe.stripped") / 1024)) KiB."
