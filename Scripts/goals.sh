#!/usr/bin/env bash
# Runs the benchmarks that have a goal in Benchmarks/goals.txt, and prints the goals that are missed.
#
#   Scripts/goals.sh                 every goal, with five short rounds in each of three runs
#   Scripts/goals.sh home: timers    the goals of lines whose title contains one of the texts
#   Scripts/goals.sh --full          with eleven long rounds in each
#   Scripts/goals.sh --counts        only bytes, allocations and counted instructions, which no load disturbs
#   Scripts/goals.sh --times         only the others
#   Scripts/goals.sh --save FILE     also keeps the printed tables
#   Scripts/goals.sh --read FILE     no run: compares tables that were printed before
#
# Of a time, the median of the three runs counts: each is a process with its own heap.
# The exit status is 1 if a goal is missed or was not measured. Times want a quiet machine: the load is
# printed; repeat a run that missed a time. Instructions are counted with valgrind, which must be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
goals=Benchmarks/goals.txt

rounds=(--quick --rounds 5) table='' saved='' only='' texts=()
while (($#)); do
  case $1 in
    --full) rounds=() ;;
    --counts) only=counts ;;
    --times) only=times ;;
    --save) saved=${2:?"--save needs a file"}; shift ;;
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
awk -F ' *[|] *' -v OFS='\t' -v only="$only" -v texts="$(printf '%s\n' "${texts[@]:-}")" '
  BEGIN { count = split(texts, text, "\n") }
  /^#/ || /^[ \t]*$/ { next }
  NF < 4 || NF > 5 || $4 !~ /^(<=|>=) [0-9.]+$/ {
    printf "%s:%d is not “program | line | compared with | goal | reason”.\n", FILENAME, NR > "/dev/stderr"
    exit 2
  }
  {
    isChosen = count == 0
    for (i = 1; i <= count; i++) if (index(tolower($2), tolower(text[i]))) isChosen = 1
    isTime = $3 !~ /^(-|instructions.*)$/
    if (only != "" && isTime != (only == "times")) isChosen = 0
    if (isChosen) print $1, $2, $3, $4
  }' "$goals" > "$chosen"
[[ -s $chosen ]] || { echo "No goal is about such a line; see $goals." >&2; exit 2; }

if [[ $table ]]; then
  cp "$table" "$printed"
else
  # Prints the titles of a program's lines, and of those they are compared with: where instructions are counted, or the rest.
  titles() {
    awk -F '\t' -v program="$1" -v counted="$2" '
      $1 != program || ($3 ~ /^instructions/) != counted { next }
      {
        sub(/^instructions(, )?/, "", $3)
        print "--title\n" $2
        if ($3 ~ /^"/) print "--title\n" substr($3, 2, length($3) - 2)
      }' "$chosen"
  }
  while read -r program; do
    case $program in
      *.sh) "$program" >> "$printed"; continue ;;
    esac
    mapfile -t timed < <(titles "$program" 0)
    mapfile -t counted < <(titles "$program" 1)
    if ((${#timed[@]})); then
      for ((run = 0; run < 3; run++)); do
        swift run -c release --package-path Benchmarks "$program" "${rounds[@]}" "${timed[@]}" \
          >> "$printed" || [[ $? == 1 ]]
      done
    fi
    if ((${#counted[@]})); then
      Benchmarks/instructions.py --program "$program" "${counted[@]}" >> "$printed"
    fi
  done < <(cut -f1 "$chosen" | sort -u)
  if [[ $saved ]]; then cp "$printed" "$saved"; fi
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
    run = ++runs[title]
    own[title, run] = figure(trim(cell[3]))
    for (i = 4; i < count; i++) peer[title, column[i], run] = figure(trim(cell[i]))
    next
  }
  {
    title = $2; other = $3; limit = substr($4, 4) + 0; isMost = $4 ~ /^<=/
    if (other ~ /^instructions/) {
      title = title ", instructions"
      sub(/^instructions(, )?/, "", other)
      if (other == "") other = "-"
      if (other ~ /^"/) sub(/"$/, ", instructions\"", other)
    }
    total++
    # The median of the runs.
    known = 0
    for (run = 1; run <= runs[title]; run++) {
      now = own[title, run]
      if (other ~ /^"/) reference = own[substr(other, 2, length(other) - 2), run]
      else if (other == "-") reference = 1
      else reference = peer[title, other, run]
      if (now == "" || reference == "" || reference + 0 == 0 || (!isMost && other != "-" && now + 0 == 0)) continue
      value = other == "-" ? now : isMost ? now / reference : reference / now
      for (place = ++known; place > 1 && sorted[place - 1] > value; place--) sorted[place] = sorted[place - 1]
      sorted[place] = value + 0
    }
    if (!known) {
      missing++
      printf "not measured  %s (%s, goal %s)\n", title, other, $4
      next
    }
    value = known % 2 ? sorted[(known + 1) / 2] : (sorted[known / 2] + sorted[known / 2 + 1]) / 2
    if (isMost ? value <= limit : value >= limit) { met++; next }
    printf "missed        %s%s: now %.4g, goal %s\n", title, \
      other == "-" ? "" : " (with " other ")", value, $4
  }
  END {
    printf "%d of %d goals met, %d not measured.\n", met, total, missing
    exit met < total
  }' "$printed" "$chosen"
