#!/usr/bin/env bash
# skins prints its stories with every line true and draws its picture; one file imports Foundation
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The daemon is a program to copy, and its readers have Foundation.
mapfile -t files < <(swift_files Examples | grep -v '^Examples/Daemon/')
importing=$(grep -lE '^\s*(\w+ )?import (\w+ )?Foundation' "${files[@]}" || true)
[[ $importing == Examples/Skins/ThemeFiles.swift ]] \
  || fail "Examples/Skins/ThemeFiles.swift, and no other file of the demo, may import Foundation;" \
    "found: ${importing:-no file}"

swift build --product skins || fail "skins does not build"
skins=$(swift build --show-bin-path)/skins
story=$work/skins-story.txt
total=0
# The option and a missing terminal print the same story; the word `events`, the other one.
for arguments in "--story" "" "events"; do
  # Without an argument, by the command of README.md.
  command=("$skins" "$arguments")
  [[ $arguments ]] || command=(swift run skins)
  expected=Tests/Expected/skins-story.txt least=20
  [[ $arguments != events ]] || expected=Tests/Expected/skins-events.txt least=10
  timeout 60 "${command[@]}" > "$story" 2> "$work/skins.err" < /dev/null \
    || fail "skins $arguments ended with status $?:"$'\n'"$(cat "$story" "$work/skins.err")"
  [[ -z $arguments || ! -s $work/skins.err ]] || fail "skins $arguments wrote to standard error: $(cat "$work/skins.err")"
  lines=$(grep -cE '^ *[0-9]+\. ok ' "$story" || true)
  ((lines >= least)) || fail "skins $arguments printed $lines true lines; expected at least $least"
  [[ ! $arguments ]] || ((total += lines))
  diff -u "$expected" "$story" || fail "the story of skins $arguments differs from $expected"
done

picture=$work/skins.svg
timeout 60 "$skins" --svg "$picture" < /dev/null || fail "skins --svg ended with status $?"
cmp Tests/Expected/skins.svg "$picture" \
  || fail "the picture of skins --svg differs from Tests/Expected/skins.svg"
echo "$total lines and a picture of $(wc -c < "$picture") bytes."
