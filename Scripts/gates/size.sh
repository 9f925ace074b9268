#!/usr/bin/env bash
# the code that a program links has not grown
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The largest sizes that pass, in kB of a stripped program and in bytes of machine code. They are a little
# above the present ones: a file grows in pages of 4 kB. Lower them when code has become smaller; raise one only
# together with a reason in the commit. The goals, which are lower, are those of Scripts/size.sh.
limits=(
  'EventBus=1240'
  'all three=2720'
  'a loop around a post=1400'
)

build_probe
build=.build/probe/release
table=$(Scripts/size.sh --in "$build")
echo "$table"
# One function of HotPaths contains nothing but a loop around a post.
post=$(nm --print-size --radix=d "$build"/HotPaths.build/HotPaths.*o | awk '/ T [$]s8HotPaths4post/ { print $2 + 0 }')
echo "a loop around a post: $post bytes"

grown=()
for limit in "${limits[@]}"; do
  title=${limit%=*}
  if [[ $title == a\ loop* ]]; then
    size=$post
  else
    size=$(sed -nE "s/^$title +([0-9]+) .*/\1/p" <<< "$table")
  fi
  [[ $size =~ ^[0-9]+$ ]] || fail "cannot read the size of: $title"
  ((size <= ${limit#*=})) || grown+=("$title is $size, at most ${limit#*=} is allowed")
done
((${#grown[@]} == 0)) || fail "$(printf '%s\n' "${grown[@]}")
Scripts/size.sh --largest shows the largest functions. The limits are in Scripts/gates/size.sh."
