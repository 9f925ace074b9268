#!/usr/bin/env bash
# words that are forbidden, or need a reason beside them
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mapfile -t files < <(swift_files Package.swift Sources Tests Examples Snippets Benchmarks Scripts)
((${#files[@]} > 1)) || fail "found no Swift files to search"
code=$work/code.tsv
awk -f Scripts/gates/strip-code.awk "${files[@]}" > "$code"
[[ -s $code ]] || fail "nothing was left of the code after stripping comments"

found=0

# Searches, where finding nothing is an answer and a broken expression is not.
search() {
  local status=0
  grep "$@" || status=$?
  ((status < 2)) || fail "grep $*"
}

# rule WHERE PATTERN ADVICE [EXCUSE]: reports the lines whose path begins with WHERE and whose
# code contains PATTERN, unless they match EXCUSE as a whole. All three are Perl expressions.
rule() {
  local hits
  hits=$(search -P "^(?:$1)[^\t]*\t\d+\t.*(?:$2)" "$code")
  [[ -z ${4:-} || -z $hits ]] || hits=$(search -vP "$4" <<< "$hits")
  [[ -n $hits ]] || return 0
  printf '%s\n' "$3"
  sed -E 's/^([^\t]*)\t([0-9]+)\t */  \1:\2: /' <<< "$hits"
  found=1
}
reasoned='// Reason$'

rule '' '\btry!|\bas!|[\w)\]}>]!(?![=\w])' \
  "Never 'try!', 'as!' or '!': unwrap, throw, or trap with a message."
rule '(Sources|Snippets|Scripts)/' '\bimport\s+(\w+\s+)?Foundation' \
  "The libraries, and what shows them, know no Foundation."
rule '(Tests|Examples)/' '\bimport\s+(\w+\s+)?Foundation' \
  "Foundation outside the libraries needs '// Reason: …' on the line." "$reasoned"
rule '' '@unchecked\s+Sendable|@preconcurrency|nonisolated\(unsafe\)|unowned\(unsafe\)|\bunsafe\b' \
  "The compiler's checks are switched off here: say why with '// Reason: …' on the line." \
  "^Package.swift|$reasoned"
rule '(Sources|Examples|Snippets)/' '\bfatalError\(|\bpreconditionFailure\(' \
  "A trap needs '// Reason: …' on the line." "$reasoned"
rule 'Sources/' '\btry\?' \
  "'try?' swallows an error: say why that is right with '// Reason: …' on the line." "$reasoned"
# Unsafe code stands in the files that Scripts/gates/unsafe-files.txt lists, and all of these have some.
switched_off='@unchecked\s+Sendable|nonisolated\(unsafe\)|unowned\(unsafe\)|\bunsafe\b'
unsafe=$(search -P "^Sources/[^\t]*\t\d+\t.*(?:$switched_off)" "$code" | cut -f 1 | LC_ALL=C sort -u)
if ! diff <(LC_ALL=C sort -u Scripts/gates/unsafe-files.txt) <(printf '%s\n' "$unsafe") > "$work/unsafe.diff"; then
  echo "Scripts/gates/unsafe-files.txt is not the list of files with unsafe code (> is missing, < is too much):"
  grep '^[<>]' "$work/unsafe.diff" | sed 's/^/  /'
  found=1
fi
rule 'Tests/' '\bTask\.sleep|\b(usleep|nanosleep)\(|Thread\.sleep|Clock\(\)\.sleep' \
  "Tests never sleep: time comes from a manual clock, order from gates."
rule 'Tests/' '\.disabled\(|\bwithKnownIssue\b|\.enabled\(if:\s*false' \
  "A test that cannot fail is not a test."
rule 'Sources/' '\bwithTaskCancellationHandler\b' \
  "It leaves the caller's actor: take withCancellationHandling, or say '// Reason: …' on the line." \
  "$reasoned"
rule 'Sources/' '(?<![.\w])(?<!func )print\(' \
  "A library writes nothing to standard output. Report through a hook."

# Words that have plainer ones, in documentation comments.
fables='\b(?:whoever|somebody|nobody|untold|anew|errand|lets? go of)\b'
prose=$(search -nPi "^\s*///.*$fables" $(printf '%s\n' "${files[@]}" | grep '^Sources/') /dev/null)
if [[ -n $prose ]]; then
  printf 'Plain technical English: callers, code that, no one, again, releases …\n%s\n' "$prose"
  found=1
fi

# These are found in comments too.
notes=$(search -nE '\b(TODO|FIXME|XXX|HACK)\b' "${files[@]}")
if [[ -n $notes ]]; then
  printf 'Unfinished work belongs in the issue tracker:\n%s\n' "$notes"
  found=1
fi

((found == 0)) || fail "see the lines above"
echo "${#files[@]} files."
