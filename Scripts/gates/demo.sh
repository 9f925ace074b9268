#!/usr/bin/env bash
# skins tells its story, every line of it true
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build --product skins
skins=$(swift build --show-bin-path)/skins
for arguments in "--story" ""; do
  # shellcheck disable=SC2086
  timeout 60 "$skins" $arguments > "$work/skins.txt" 2> "$work/skins.err" < /dev/null \
    || fail "skins $arguments ended with status $?; its last lines: $(tail -3 "$work/skins.txt" "$work/skins.err")"
  [[ ! -s $work/skins.err ]] || fail "skins $arguments complained: $(cat "$work/skins.err")"
  lines=$(grep -cE '^ *[0-9]+[.):]? ' "$work/skins.txt" || true)
  ((lines >= 10)) || fail "skins $arguments told $lines numbered lines; the story has about twelve"
  diff -u Tests/Expected/skins.txt "$work/skins.txt" \
    || fail "skins $arguments says something else than Tests/Expected/skins.txt"
done
echo "$lines lines."
