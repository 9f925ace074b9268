# Prints the prose of source files, one line per paragraph, so that a search finds phrases across line breaks: comments,
# string literals of several words (messages and titles of tests) and the text of articles. Code blocks, the text in
# backticks and the markers of lists are left out.
#
# Output:  path TAB line TAB paragraph

function flush() {
  gsub(/`[^`]*`/, "``", text)
  if (text ~ /[^ \t]/) printf "%s\t%d\t%s\n", name, start, text
  text = ""
}

function add(words) {
  if (text == "") { name = FILENAME; start = FNR; text = words } else text = text " " words
}

# Adds a line of a comment or of an article.
function take(words) {
  if (words ~ /^ *(```|~~~)/) { flush(); fenced = !fenced; return }
  if (fenced || words ~ /^ *$/) { flush(); return }
  if (words ~ /^ *([-*|#>]|[0-9]+\.)/) flush()
  sub(/^ +/, "", words)
  add(words)
}

FNR == 1 { flush(); fenced = 0; article = FILENAME ~ /\.md$/; shell = FILENAME ~ /\.(sh|awk)$/ }

article { take($0); next }

shell && /^ *# / || !shell && /^ *\/\// {
  words = $0
  if (shell) sub(/^ *# /, "", words); else sub(/^ *\/\/+ ?/, "", words)
  take(words)
  next
}

{
  flush(); fenced = 0
  if (shell) next
  rest = $0
  while (match(rest, /"([^"\\]|\\.)*"/)) {
    words = substr(rest, RSTART + 1, RLENGTH - 2)
    rest = substr(rest, RSTART + RLENGTH)
    if (words ~ / [a-z]/) { add(words); flush() }
  }
  if (match(rest, /[ \t]\/\/ /)) { add(substr(rest, RSTART + RLENGTH)); flush() }
}

END { flush() }
