#!/usr/bin/env bash
# skins tells its story, every line of it true
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build --product skins || fail "skins does not build"
skins=$(swift build --show-bin-path)/skins
story=$work/skins-story.txt
# Asked for the story, and not on a terminal: the same.
for arguments in "--story" ""; do
  # shellcheck disable=SC2086
  timeout 60 "$skins" $arguments > "$story" 2> "$work/skins.err" < /dev/null \
    || fail "skins $arguments ended with status $?:"$'\n'"$(cat "$story" "$work/skins.err")"
  [[ ! -s $work/skins.err ]] || fail "skins $arguments complained: $(cat "$work/skins.err")"
  lines=$(grep -cE '^ *[0-9]+\. ok ' "$story" || true)
  ((lines >= 10)) || fail "skins $arguments told $lines true lines; the story has more"
  diff -u Tests/Expected/skins-story.txt "$story" \
    || fail "skins $arguments tells another story than Tests/Expected/skins-story.txt"
done
echo "$lines lines."
