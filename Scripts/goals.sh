#!/usr/bin/env bash
# Runs the benchmarks that have a goal in Benchmarks/goals.txt, and prints the goals that are missed.
#
#   Scripts/goals.sh                 every goal, with three short rounds
#   Scripts/goals.sh home: timers    the goals of lines whose title contains one of the texts
#   Scripts/goals.sh --full          with eleven long rounds
#   Scripts/goals.sh --read FILE     no run: compares a table that was printed before
#
# The exit status is 1 if a goal is missed or was not measured. Times want a quiet machine: the load is
# printed; repeat a run that missed a time.
set -euo pipefail
cd "$(dirname "$0")/.."
goals=Benchmarks/goals.txt

quick=--quick table='' texts=()
while (($#)); do
  case $1 in
    --full) quick='' ;;
    --read) table=${2:?"--read needs a file"}; shift ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;;
    -*) echo "Unknown argument $1; try --help." >&2; exit 2 ;;
    *) texts+=("$1") ;;
  esac
  shift
done

chosen=$(mktemp) printed=$(mktemp)
trap 'rm -f "$chosen" "$printed"' EXIT
# One goal a line, its fields separated by tabs.
awk -F ' *[|] *' -v OFS='\t' -v texts="$(printf '%s\n' "${texts[@]:-}")" '
  BEGIN { count = split(texts, text, "\n") }
  /^#/ || /^[ \t]*$/ { next }
  NF < 4 || NF > 5 || $4 !~ /^(<=|>=) [0-9.]+$/ {
    printf "%s:%d is not “program | line | compared with | goal | reason”.\n", FILENAME, NR > "/dev/stderr"
    exit 2
  }
  {
    isChosen = count == 0
    for (i = 1; i <= count; i++) if (index(tolower($2), tolower(text[i]))) isChosen = 1
    if (isChosen) print $1, $2, $3, $4
  }' "$goals" > "$chosen"
[[ -s $chosen ]] || { echo "No goal is about such a line; see $goals." >&2; exit 2; }

if [[ $table ]]; then
  cp "$table" "$printed"
else
  while read -r program; do
    titles=()
    # The line itself and the one it is compared with.
    while IFS= read -r title; do titles+=(--title "$title"); done < <(
      awk -F '\t' -v program="$program" '
        $1 == program { print $2; if ($3 ~ /^"/) print substr($3, 2, length($3) - 2) }
      ' "$chosen" | sort -u
    )
    swift run -c release --package-path Benchmarks "$program" ${quick:+"$quick"} "${titles[@]}" \
      >> "$printed" || [[ $? == 1 ]]
  done < <(cut -f1 "$chosen" | sort -u)
fi

awk -F '\t' '
  function trim(text) { gsub(/^ +| +$/, "", text); return text }
  # The figure in a cell, without the multiple behind it; empty for a dash.
  function figure(cell) {
    sub(/ *\(.*/, "", cell)
    gsub(/[,*]/, "", cell)
    return cell ~ /^-?[0-9.]+$/ ? cell : ""
  }
  FNR == NR {
    if ($0 ~ /^Load average/) print
    if ($0 !~ /^\|/) next
    count = split($0, cell, "|")
    if (trim(cell[2]) == "work") {
      for (i = 3; i < count; i++) column[i] = trim(cell[i])
      next
    }
    title = trim(cell[2])
    sub(/, (ns|ms)$/, "", title)
    own[title] = figure(trim(cell[3]))
    for (i = 4; i < count; i++) peer[title, column[i]] = figure(trim(cell[i]))
    next
  }
  {
    title = $2; other = $3; limit = substr($4, 4) + 0; isMost = $4 ~ /^<=/
    now = own[title]
    if (other ~ /^"/) reference = own[substr(other, 2, length(other) - 2)]
    else if (other == "-") reference = 1
    else reference = peer[title, other]
    total++
    if (now == "" || reference == "" || reference + 0 == 0 || (!isMost && other != "-" && now + 0 == 0)) {
      missing++
      printf "not measured  %s (%s, goal %s)\n", title, other, $4
      next
    }
    value = other == "-" ? now : isMost ? now / reference : reference / now
    if (isMost ? value <= limit : value >= limit) { met++; next }
    printf "missed        %s%s: now %.4g, goal %s\n", title, \
      other == "-" ? "" : " (with " other ")", value, $4
  }
  END {
    printf "%d of %d goals met, %d not measured.\n", met, total, missing
    exit met < total
  }' "$printed" "$chosen"
