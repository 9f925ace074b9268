#!/usr/bin/env bash
# posts and sends from another module are specialised there
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# What the hot paths may not call in EventBus: an entry point, or anything else that is generic
# still (the demangler names an open type parameter `A`); each payload would be passed through its
# witness table. Exempt are the paths that are long anyway and rare.
entry='\.(post|send)(<|\()'
generic='\bA\b'
rare='EventName\.init\(|\.(postToNobody|sendInOrder|tellUnhandled|report)(<|\()'

build_probe --scratch-path .build/probe
objects=(.build/probe/release/HotPaths.build/*.o)
nm "${objects[@]}" | swift demangle > "$work/hot-paths.txt"
grep -q ' T HotPaths\.' "$work/hot-paths.txt" || fail "cannot read the symbols of ${objects[*]}"
calls=$(grep ' U .*EventBus\.' "$work/hot-paths.txt" || true)
echo "The hot paths call in EventBus:"
sed 's/^ *U /  /' <<< "${calls:-  nothing}"
loose=$(grep -E "$entry|$generic" <<< "$calls" | grep -vE "$rare" || true)
[[ -z $loose ]] || fail "not specialised across modules: is an '@inlinable' gone?"$'\n'"$loose"
