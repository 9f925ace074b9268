#!/usr/bin/env bash
# everything compiles without warnings, including tests and snippets
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build --build-tests --explicit-target-dependency-import-check error || fail "the build"

# A target without the common settings block would compile with warnings. LaunchLoader lacks one setting, as
# Package.swift explains.
swift package dump-package > "$work/package.json"
lax=$(jq -r '
  (.targets | map(.settings | map(select(.condition == null) | .kind | tojson) | sort)) as $all
  | ($all | map(length) | max) as $most
  | .targets[]
  | select((.settings | length) < (if .name == "LaunchLoader" then $most - 1 else $most end)
      or (any(.settings[]; .kind.treatAllWarnings._0 == "error") | not)
      or (any(.settings[]; .kind.strictMemorySafety != null) | not))
  | .name' "$work/package.json")
[[ -z $lax ]] || fail "these targets do not have the settings of the others: ${lax//$'\n'/, }"
dependencies=$(jq '.dependencies | length' "$work/package.json")
((dependencies == 0)) || fail "Package.swift has dependencies, which every user would have to resolve"
