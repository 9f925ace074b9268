#!/usr/bin/env bash
# posts, sends and streams of another module are specialised there
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A post that is specialised in its caller's module, or a stream, still calls into EventBus where the
# way is long anyway and seldom taken. These are the calls we mean it to make; any other one is an
# `@inlinable` that got lost, and costs every delivery a call, or a walk through witness tables.
seldom=(
  'EventName\.init\(_: Swift\.String, '
  'EventBus\.postToNobody<'
  'SignalCore\.(sendInOrder|tellUnhandled|report|stream)\('
  'EventBus\.core<'
  'ObserverList\.(sweepOwners|abandon)\('
  'ReclamationDomain\.sweep\('
  '(nominal type descriptor|type metadata( accessor)?) for '
)

build_probe
objects=(.build/probe/release/HotPaths.build/*.o)
nm "${objects[@]}" | swift demangle > "$work/hot-paths.txt"
grep -q ' T HotPaths\.' "$work/hot-paths.txt" || fail "cannot read the symbols of ${objects[*]}"
calls=$(sed -n 's/^ *U \(.*EventBus\..*\)/  \1/p' "$work/hot-paths.txt")
echo "The hot paths call in EventBus:"
echo "${calls:-  nothing}"
lost=$(grep -vE "($(IFS='|'; echo "${seldom[*]}"))" <<< "$calls" || true)
[[ -z $lost ]] \
  || fail "these are called across modules. Is an '@inlinable' gone?"$'\n'"$lost"
