#!/usr/bin/env bash
# Prints the size and the shape of Sources/ beside the targets of the project.
#
#   Scripts/measure.sh             the table
#   Scripts/measure.sh --pairs     the table, then each pair of places that share code
#
# A line of code is neither blank nor only a comment. A type is a declaration of a class, struct, enum,
# protocol or actor. Two files form a pair (a file may pair with itself) if six or more consecutive lines
# of code are equal apart from names, strings and numbers. Lone punctuation, imports and directives do not
# count, nor do the cases of enumerations and the parameter lists of public functions, which are the contract
# and have no other form; neither do runs that occur in more than eight places.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(find Sources -name '*.swift' -type f | LC_ALL=C sort)
((${#files[@]})) || { echo "Sources/ holds no Swift file." >&2; exit 1; }

LC_ALL=C awk -v verbose="$([[ ${1:-} == --pairs ]] && echo 1 || echo 0)" '
  function closeFile(  i) {
    if (file == "") return
    codes[++count] = code
    if (code < 20) small++
    if (lines > 400) large++
    sizes[count] = lines
  }
  # The line with keywords and punctuation only: names, strings and numbers become placeholders.
  function shape(text,  out, word) {
    gsub(/"([^"\\]|\\.)*"/, "0", text)
    out = ""
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
      word = substr(text, RSTART, RLENGTH)
      out = out substr(text, 1, RSTART - 1) (word in keyword ? word : "x")
      text = substr(text, RSTART + RLENGTH)
    }
    out = out text
    gsub(/[0-9]+/, "0", out)
    gsub(/[ \t]+/, "", out)
    return out
  }
  BEGIN {
    split("as async await break case catch class continue default defer do else enum extension for func guard " \
      "if in init inout internal is isolated let nil package private public return self some any static struct " \
      "subscript super switch throw throws try var where while final true false mutating", words, " ")
    for (i in words) keyword[words[i]]
  }
  FNR == 1 { closeFile(); file = FILENAME; code = 0; lines = 0 }
  { lines++ }
  /^[ \t]*(\/\/|$)/ { next }
  {
    code++; total++
    if ($0 ~ /^[ \t]*((public|package|internal|private|fileprivate|final|indirect|open|nonisolated|@[a-zA-Z]+(\([^)]*\))?)[ \t]+)*(class|struct|enum|protocol|actor)[ \t]+[A-Z]/) types++
    if ($0 ~ /^[ \t]*case [a-zA-Z_, ]+(\(.*\))?( = .*)?$/) next
    if (FNR == 1) depth = 0
    if (depth > 0 || $0 ~ /^[ \t]*(@[a-zA-Z]+ )*public (static |convenience |mutating )*(func|init)/) {
      text = $0
      depth += gsub(/\(/, "", text) - gsub(/\)/, "", text)
      next
    }
    s = shape($0)
    if (s !~ /[a-z]/ || /^[ \t]*([a-z]+ )?import / || /^[ \t]*#/) next
    at = ++n[FILENAME]
    shapes[FILENAME, at] = s; numbers[FILENAME, at] = FNR
  }
  END {
    closeFile()
    for (i = 1; i < ARGC; i++) {
      f = ARGV[i]
      for (j = 1; j + 5 <= n[f]; j++) {
        key = ""
        for (k = 0; k < 6; k++) key = key "\n" shapes[f, j + k]
        # A run in more than eight places is an idiom, not a copy.
        if (++places[key] > 8) continue
        for (m = 1; m < places[key]; m++) {
          split(place[key, m], a, "\t")
          if (a[1] == f && j - a[2] < 6) continue
          pair = a[1] "\t" f
          if (pair in seen) continue
          seen[pair]; pairs++
          if (verbose) listed = listed sprintf("  %s:%d ~ %s:%d\n", a[1], numbers[a[1], a[2]], f, numbers[f, j])
        }
        place[key, places[key]] = f "\t" j
      }
    }
    for (i = 2; i <= count; i++) {
      value = sizes[i]
      for (j = i - 1; j > 0 && sizes[j] > value; j--) sizes[j + 1] = sizes[j]
      sizes[j + 1] = value
    }
    printf "%-36s %8s %9s\n", "measure", "now", "target"
    printf "%-36s %8d %9s\n", "source files", count, "190"
    printf "%-36s %8d %9s\n", "type declarations", types, "300"
    printf "%-36s %8d %9s\n", "lines of code", total, "12500"
    printf "%-36s %8d %9s\n", "lines in the median file", sizes[int((count + 1) / 2)], "100-150"
    printf "%-36s %8d %9s\n", "files under 20 lines of code", small, "15"
    printf "%-36s %8d %9s\n", "files past 400 lines", large, "0"
    printf "%-36s %8d %9s\n", "pairs of files that share code", pairs, "10"
    if (verbose) printf "\n%s", listed
  }
' "${files[@]}"
