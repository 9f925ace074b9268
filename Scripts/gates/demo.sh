#!/usr/bin/env bash
# skins tells its story, every line of it true, and draws its picture; one file knows Foundation
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mapfile -t files < <(swift_files Examples)
importing=$(grep -lE '^\s*(\w+ )?import (\w+ )?Foundation' "${files[@]}" || true)
[[ $importing == Examples/Skins/ThemeFiles.swift ]] \
  || fail "Examples/Skins/ThemeFiles.swift, and no other file of the examples, imports Foundation;" \
    "here it is: ${importing:-nobody}"

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
  ((lines >= 20)) || fail "skins $arguments told $lines true lines; the story has more"
  diff -u Tests/Expected/skins-story.txt "$story" \
    || fail "skins $arguments tells another story than Tests/Expected/skins-story.txt"
done

picture=$work/skins.svg
timeout 60 "$skins" --svg "$picture" < /dev/null || fail "skins --svg ended with status $?"
cmp Tests/Expected/skins.svg "$picture" \
  || fail "skins --svg draws another picture than Tests/Expected/skins.svg"
echo "$lines lines, and a picture of $(wc -c < "$picture") bytes."
