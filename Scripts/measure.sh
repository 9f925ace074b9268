#!/usr/bin/env bash
# Prints lines of code by folder, public names and lines of tests, beside the limits in Scripts/limits.txt.
#
#   Scripts/measure.sh            the table; fails if a figure is above its limit or a file outside Tests has more than 400
#                                 lines
#   Scripts/measure.sh --write    sets each limit to the present figure, rounded up to two digits
#
# A line of code is neither blank nor a comment.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
limits=Scripts/limits.txt

swift_files() { find "$@" -name .build -prune -o -name '*.swift' -type f -print0; }
# Prints the number of lines of code in the files that standard input names.
code_lines() {
  xargs -0 cat -- /dev/null | awk '
    { sub(/^[ \t]+/, "") }
    comment { if (/\*\//) comment = 0; next }
    /^\/\*/ { comment = !/\*\//; next }
    /^$/ || /^\/\// { next }
    { count++ }
    END { print count + 0 }'
}

figures() {
  local folder
  for folder in Sources/*/*/; do
    [[ $folder == *.docc/ ]] || printf '%s %s\n' "$(swift_files "$folder" | code_lines)" "${folder%/}"
  done
  for folder in Integrations/*/; do
    mapfile -t roots < <(find "$folder" -maxdepth 1 -name Sources)
    if [[ ! -e $folder/Package.swift ]]; then roots=("$folder"); fi
    ((${#roots[@]} == 0)) || printf '%s %s\n' "$(swift_files "${roots[@]}" | code_lines)" "${folder%/}"
  done
  swift_files Tests Integrations/*/Tests | code_lines | sed 's/$/ tests/'
  cut -f 1 API/*.txt | sort -u | wc -l | sed 's/$/ public-names/'
}

now=$(figures)
if [[ ${1:-} == --write ]]; then
  { grep '^#' "$limits"
    awk '{ step = 10 ^ (length($1) > 2 ? length($1) - 2 : 0); print $2, step * int(($1 + step - 1) / step) }' <<< "$now"
  } > "$limits.new"
  mv "$limits.new" "$limits"
fi

status=0
awk '
  FNR == NR { if (!/^#/) limit[$1] = $2; next }
  { verdict = ""
    if (!($2 in limit)) verdict = "  no limit: add a line to Scripts/limits.txt"
    else if ($1 > limit[$2]) verdict = "  TOO MANY"
    if (verdict) bad = 1
    printf "%-32s %7d  at most %s%s\n", $2, $1, limit[$2], verdict
    delete limit[$2] }
  END {
    for (name in limit) { print name ": this line of Scripts/limits.txt limits nothing"; bad = 1 }
    exit bad }
' "$limits" - <<< "$now" || status=1
long=$(swift_files Sources Integrations Examples | xargs -0 wc -l | awk '$1 > 400 && $2 != "total" && !/\/Tests\//')
[[ -z $long ]] || { printf 'Files with more than 400 lines:\n%s\n' "$long"; status=1; }
exit "$status"
