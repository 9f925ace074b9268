# Prints the code of Swift files without comments and without the text of string literals. A search in
# the output finds words in code only. Interpolations are code and stay.
#
# Output, one line per line with code:  path TAB line TAB code
# A line that ends in `// Reason: …` ends in ` // Reason` here.

function push(kind, hashes, many) {
  top++
  kinds[top] = kind; closers[top] = hashes; multi[top] = many; parens[top] = 0
}

FNR == 1 { top = 0; kinds[0] = "code"; comment = 0 }

{
  out = ""; reason = 0; i = 1; n = length($0)
  while (i <= n) {
    c = substr($0, i, 1); two = substr($0, i, 2)
    if (comment > 0) {
      if (two == "/*") { comment++; i += 2 }
      else if (two == "*/") { comment--; i += 2 }
      else i++
      continue
    }
    if (kinds[top] == "string") {
      closer = (multi[top] ? "\"\"\"" : "\"") closers[top]
      escape = "\\" closers[top]
      if (substr($0, i, length(closer)) == closer) { top--; out = out "\""; i += length(closer) }
      else if (substr($0, i, length(escape) + 1) == escape "(") {
        push("code", "", 0); out = out " "; i += length(escape) + 1
      }
      else if (substr($0, i, length(escape)) == escape) i += length(escape) + 1
      else i++
      continue
    }
    if (two == "//") {
      if (substr($0, i) ~ /^\/\/ Reason: [^ ]/) reason = 1
      break
    }
    if (two == "/*") { comment = 1; i += 2; continue }
    if (c == "\"" || c == "#") {
      if (match(substr($0, i), /^#*"/)) {
        hashes = substr($0, i, RLENGTH - 1)
        many = substr($0, i + RLENGTH - 1, 3) == "\"\"\""
        push("string", hashes, many)
        out = out "\""; i += length(hashes) + (many ? 3 : 1)
        continue
      }
    }
    if (top > 0) {
      if (c == "(") parens[top]++
      else if (c == ")") {
        if (parens[top] == 0) { top--; out = out " "; i++; continue }
        parens[top]--
      }
    }
    out = out c; i++
  }
  # A single-line literal ends with its line.
  while (top > 0 && !(kinds[top] == "string" && multi[top])) {
    if (kinds[top] == "code" && multi[top - 1]) break
    top--
  }
  if (out ~ /[^ \t]/) printf "%s\t%d\t%s%s\n", FILENAME, FNR, out, reason ? " // Reason" : ""
}
