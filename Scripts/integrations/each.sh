#!/usr/bin/env bash
# Runs a command in several folders, and fails if it fails in one: each.sh FOLDER... -- COMMAND...
set -uo pipefail

folders=()
while [[ $1 != -- ]]; do
  folders+=("$1")
  shift
done
shift
((${#folders[@]})) || { echo "error: no folder was given" && exit 1; }
status=0
for folder in "${folders[@]}"; do
  (cd "$folder" && "$@") || { echo "error: failed in $folder" && status=1; }
done
exit "$status"
