#!/usr/bin/env bash
# posts, streams and themed properties are specialized in the calling module
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A post or a stream that is specialized in the calling module still calls EventBus on slow, rare paths.
# These are the intended calls. Any other call means a missing `@inlinable`, and costs every delivery a
# call or a lookup in witness tables.
seldom=(
  'EventName\.(__allocating_)?init\(_: Swift\.String, '
  'EventBus\.postUnobserved<'
  'SignalCore\.(sendInOrder|unhandled|stream)\('
  'EventBus\.core<'
  # For posts inside each other or beside others, and for streams that have become long.
  'ReclamationDomain\.enter\(again'
  'ObserverList\.(begin|end)DeepPost\('
  'CrowdAlarm\.raise\('
  # For senders and hooks, and for an error.
  'ObserverList\.(soleBlock\(|handlerFailed<)'
  # For a stream whose post is followed by hooks.
  'StreamBuffer\.State\.(un)?follow\('
  'QueuedDelivery\.(drop|take)\('
  # The lock of a stream: inlined, it would be 120 bytes at each of hundreds of places.
  'EventBus\.(un)?lock\('
  'ReclamationDomain\.sweep\('
  '(nominal type descriptor|type metadata( accessor)?) for '
)

build_probe
objects=(.build/probe/release/HotPaths.build/HotPaths.*o)
nm "${objects[@]}" | swift demangle > "$work/hot-paths.txt"
grep -q ' T HotPaths\.' "$work/hot-paths.txt" || fail "cannot read the symbols of ${objects[*]}"
calls=$(sed -n 's/^ *U \(.*EventBus\..*\)/  \1/p' "$work/hot-paths.txt")
echo "Calls from the hot paths to EventBus:"
echo "${calls:-  nothing}"
lost=$(grep -vE "($(IFS='|'; echo "${seldom[*]}"))" <<< "$calls" || true)
[[ -z $lost ]] \
  || fail "these are called across modules; an '@inlinable' is missing:"$'\n'"$lost"

# A rule of a theme map names a property by its key path. The optimizer resolves the key path if the
# rule is created in the user's module; otherwise each value is set through the runtime.
nm .build/probe/release/HotPaths.build/Themes.*o > "$work/themes.txt"
grep -q 'HotPaths5LabelC6follow' "$work/themes.txt" || fail "cannot read the symbols of the label"
! grep -E 'swift_(set|modify|get)At\w*KeyPath' "$work/themes.txt" \
  || fail "a themed property is set through its key path; an '@inlinable' of Theming is missing"
