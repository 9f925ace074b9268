#!/usr/bin/env bash
# posts, streams and themed properties of another module are specialised there
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A post that is specialised in its caller's module, or a stream, still calls into EventBus where the
# way is long anyway and seldom taken. These are the calls we mean it to make; any other one is an
# `@inlinable` that got lost, and costs every delivery a call, or a walk through witness tables.
seldom=(
  'EventName\.init\(_: Swift\.String, '
  'EventBus\.postUnobserved<'
  'SignalCore\.(sendInOrder|reportUnhandled|report|stream)\('
  'EventBus\.core<'
  'ObserverList\.abandon\('
  # An observer that is paused, or whose calls are still counted one by one.
  'AnyObserver\.admits\('
  'ReclamationDomain\.sweep\('
  '(nominal type descriptor|type metadata( accessor)?) for '
)

build_probe
objects=(.build/probe/release/HotPaths.build/HotPaths.*o)
nm "${objects[@]}" | swift demangle > "$work/hot-paths.txt"
grep -q ' T HotPaths\.' "$work/hot-paths.txt" || fail "cannot read the symbols of ${objects[*]}"
calls=$(sed -n 's/^ *U \(.*EventBus\..*\)/  \1/p' "$work/hot-paths.txt")
echo "The hot paths call in EventBus:"
echo "${calls:-  nothing}"
lost=$(grep -vE "($(IFS='|'; echo "${seldom[*]}"))" <<< "$calls" || true)
[[ -z $lost ]] \
  || fail "these are called across modules. Is an '@inlinable' gone?"$'\n'"$lost"

# A rule of a theme map names a property by its key path. The optimiser finds the property behind it
# as long as the rule is made in the user's module; otherwise each value is set through the runtime.
nm .build/probe/release/HotPaths.build/Themes.*o > "$work/themes.txt"
grep -q 'HotPaths5LabelC6follow' "$work/themes.txt" || fail "cannot read the symbols of the label"
! grep -E 'swift_(set|modify|get)At\w*KeyPath' "$work/themes.txt" \
  || fail "a themed property is set through its key path. Is an '@inlinable' of Theming gone?"
