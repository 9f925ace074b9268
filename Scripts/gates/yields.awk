# Reads the output of strip-code.awk, and prints the lines with a yield that a loop repeats:
#
#   only    the loop does nothing else, so it waits for luck
#   beside  the loop does other work too, and the line gives no reason
#
# and those with a loop that asks a flag and does nothing:
#
#   empty   the line gives no reason
#
# A function or a closure inside the loop has its own body; `if`, `switch`, `do` and `guard` are not, and the closure
# of `forEach` is a loop.

function push(kind) {
  top++; kinds[top] = kind; rest[top] = ""; yields[top] = 0; parens[top] = 0; saved[top] = head
  opened[top] = $1 "\t" $2 "\t" $3; excused[top] = reason
}

# The innermost loop around this place, or 0 if a function or a closure begins first.
function enclosing_loop(  level) {
  for (level = top; level > 0 && kinds[level] == "branch"; level--) continue
  return level > 0 && kinds[level] == "loop" ? level : 0
}

function pop(  i, text) {
  if (kinds[top] == "loop" && yields[top]) {
    text = rest[top]
    gsub(/await|try|[=_; \t]/, "", text)
    for (i = 1; i <= yields[top]; i++) {
      if (text == "") print "only\t" places[top, i]
      else if (!reasons[top, i]) print "beside\t" places[top, i]
    }
  } else if (kinds[top] == "loop" && rest[top] ~ /^[ \t]*$/ && !excused[top] \
    && (saved[top] ~ /^[ \t]*while !?[A-Za-z0-9_.]+ *$/ || saved[top] ~ /while.*(isCancelled|load\()/)) {
    print "empty\t" opened[top]
  } else if (kinds[top] == "branch" && top > 1) rest[top - 1] = rest[top - 1] "branch"
  # What follows a `repeat` is its condition.
  condition = saved[top] ~ /^[ \t]*([a-z][A-Za-z]*: *)?repeat[ \t]*$/
  head = parens[top - 1] > 0 ? saved[top] "{}" : ""
  if (top > 0) top--
}

BEGIN { FS = "\t" }
$1 != file { file = $1; top = 0; head = ""; parens[0] = 0 }
{
  code = $3
  reason = code ~ / \/\/ Reason$/
  sub(/ \/\/ Reason$/, "", code)
  # A condition may take several lines.
  if (parens[top] <= 0 && (condition || head !~ /^[ \t]*([a-z][A-Za-z]*: *)?(for|while|if|else|guard|switch)[ \t]/)) head = ""
  while (code != "") {
    if (match(code, /^([A-Za-z_]+\.)*(Task(<[^>]*>)?\.yield|sched_yield|yieldThread)\(\)/)) {
      code = substr(code, RLENGTH + 1)
      if (level = enclosing_loop()) {
        yields[level]++
        places[level, yields[level]] = $1 "\t" $2 "\t" $3
        reasons[level, yields[level]] = reason
      }
      continue
    }
    c = substr(code, 1, 1)
    # A whole word, so that the end of another name is not a yield.
    part = match(code, /^[A-Za-z0-9_.]+/) ? substr(code, 1, RLENGTH) : c
    code = substr(code, length(part) + 1)
    if (c == "{") {
      if (parens[top] > 0) kind = "closure"
      else if (head ~ /^[ \t]*([a-z][A-Za-z]*: *)?(for|while|repeat)([ \t]|$)/ || head ~ /\.forEach *$/) kind = "loop"
      else if (head ~ /^[ \t]*(if|else|do|switch|guard|defer|catch)([ \t]|$)/) kind = "branch"
      else kind = "closure"
      push(kind)
      head = ""
      condition = 0
    } else if (c == "}") {
      pop()
    } else {
      if (c == "(" || c == "[") parens[top]++
      if (c == ")" || c == "]") parens[top]--
      head = c == ";" || (c == ":" && parens[top] <= 0 && head ~ /^[ \t]*(case |default)/) ? "" : head part
      rest[top] = rest[top] part
    }
  }
  rest[top] = rest[top] " "
}
