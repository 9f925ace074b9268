#!/usr/bin/env bash
# Checks that a page of the package in the current folder shows an example in full: each program of the page is the
# whole text of one Swift file of the example's folder, and each file is shown: examples.sh PAGE FOLDER
set -euo pipefail
here=$PWD
page=$1
folder=$2
source "$(dirname "${BASH_SOURCE[0]}")/../gates/common.sh"
cd "$here"

count=0
problems=0
shown=
while IFS= read -r -d '' program; do
  count=$((count + 1))
  found=
  for file in "$folder"/*.swift; do
    if [[ ${program#*$'\n'} == "$(cat "$file")"$'\n' ]]; then found=$file; fi
  done
  shown+="$found "
  [[ -z $found ]] || continue
  problems=$((problems + 1))
  echo "error: this is not the text of a file in $folder: ${program%%$'\n'*}"
done < <(programs "$page")
for file in "$folder"/*.swift; do
  [[ " $shown" == *" $file "* ]] && continue
  problems=$((problems + 1))
  echo "error: $page does not show $file"
done
echo "examples: $count programs, $problems wrong"
((problems == 0 && count > 0))
