#!/usr/bin/env bash
# forbidden words, and words that need a reason on their line
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mapfile -t files < <(swift_files Package.swift "${sources[@]}" Tests Examples Documentation Benchmarks Scripts)
((${#files[@]} > 1)) || fail "no Swift files were found"
code=$work/code.tsv
awk -f Scripts/gates/strip-code.awk "${files[@]}" > "$code"
[[ -s $code ]] || fail "no code was left after stripping comments"

found=0

# Runs grep and fails on an invalid expression, but not if there is no match.
search() {
  local status=0
  grep "$@" || status=$?
  ((status < 2)) || fail "grep $*"
}

# rule WHERE PATTERN ADVICE [EXCUSE]: reports the lines whose path begins with WHERE and whose code
# contains PATTERN, unless the line matches EXCUSE. WHERE, PATTERN and EXCUSE are Perl expressions.
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
# The bridge to Foundation's center is there to import it.
rule '(Sources|Documentation|Scripts|Integrations/(?!Foundation/))' '\bimport\s+(\w+\s+)?Foundation' \
  "The libraries and their samples do not import Foundation."
rule '(Tests/(?!NotificationCenterBridgeTests/)|Examples/(?!Daemon/))' '\bimport\s+(\w+\s+)?Foundation' \
  "Foundation outside the libraries needs '// Reason: …' on the line." "$reasoned"
rule '' '@unchecked\s+Sendable|@preconcurrency|nonisolated\(unsafe\)|unowned\(unsafe\)|\bunsafe\b' \
  "The compiler's checks are switched off here: give the reason with '// Reason: …' on the line." \
  "^Package.swift|$reasoned"
rule '(Sources|Examples|Documentation)/' '\bfatalError\(|\bpreconditionFailure\(' \
  "A trap needs '// Reason: …' on the line." "$reasoned"
rule 'Sources/' '\btry\?' \
  "'try?' swallows an error: give the reason with '// Reason: …' on the line." "$reasoned"
# Scripts/gates/unsafe-files.txt lists exactly the files that contain unsafe code.
switched_off='@unchecked\s+Sendable|nonisolated\(unsafe\)|unowned\(unsafe\)|\bunsafe\b'
unsafe=$(search -P "^Sources/[^\t]*\t\d+\t.*(?:$switched_off)" "$code" | cut -f 1 | LC_ALL=C sort -u)
if ! diff <(LC_ALL=C sort -u Scripts/gates/unsafe-files.txt) <(printf '%s\n' "$unsafe") > "$work/unsafe.diff"; then
  echo "Scripts/gates/unsafe-files.txt does not match the files with unsafe code (> add, < remove):"
  grep '^[<>]' "$work/unsafe.diff" | sed 's/^/  /'
  found=1
fi
rule 'Tests/' '\.disabled\(|\bwithKnownIssue\b|\.enabled\(if:\s*false' \
  "A test that cannot fail is not a test."
rule 'Sources/' '\bwithTaskCancellationHandler\b' \
  "It leaves the caller's actor: use withCancellationHandling, or give '// Reason: …' on the line." \
  "$reasoned"
rule 'Sources/' '(?<![.\w])(?<!func )print\(' \
  "A library does not write to standard output: report through a hook."

# Tests wait for what happens next: a latch, a later event on the same actor, the sleepers of a manual clock. They do
# not sleep, yield until luck has it, or measure real time. Tests/TestSupport has what does, in one place.
code=$work/tests.tsv
mapfile -t tests < <(swift_files Tests Integrations/*/Tests | grep -vE '/TestSupport/|/Fixtures/(Application|Misuse|Clients|PreMain|Platforms|Probe|Installed)/')
awk -f Scripts/gates/strip-code.awk "${tests[@]}" > "$code"
sleeps='\bTask(<[^>]*>)?\.sleep|asyncAfter|\bwait\(timeout|\b(usleep|nanosleep)\(|(?<![.\w])(?<!func )sleep\(|Thread\.sleep|Clock\(\)\.sleep'
advice="Tests never sleep: use a manual clock for time and latches for order."
rule 'Tests/' "$sleeps" "$advice"
# Other processes announce little: each package has one function that asks again and again.
rule 'Integrations/' "$sleeps" "$advice" "$reasoned"
real='(?:Continuous|Suspending)Clock(?:\(\))?\.now'
rule '' "$real\s*[<>]|[<>]=?\s*$real|\.now\s*<=?\s|\.now\)\s*<|<=?\s*deadline\b|#(?:expect|require)\(\s*elapsed\s*<" \
  "A slow machine exceeds every limit of real time: wait for an event, or give '// Reason: …' on the line." "$reasoned"
yields=$(awk -f Scripts/gates/yields.awk "$code" | sed -E 's/^([a-z]+)\t([^\t]*)\t([0-9]+)\t */  \2:\3: /; s/ +$//')
if [[ -n $yields ]]; then
  printf '%s\n%s\n' "A loop of yields, or of nothing, waits for luck: wait for what happens next. A loop that also does other work may \
yield, with '// Reason: …' on the line." "$yields"
  found=1
fi

# Words in documentation comments that have plainer alternatives.
fables='\b(?:whoever|somebody|nobody|untold|anew|errand|lets? go of)\b'
told=$(search -nPi "^\s*///.*$fables" $(printf '%s\n' "${files[@]}" | grep '^Sources/') /dev/null)
if [[ -n $told ]]; then
  printf 'Plain technical English, please: callers, code that, no one, again, releases …\n%s\n' "$told"
  found=1
fi

# Idioms that read translated, in comments, messages, titles of tests and articles.
prose=$work/prose.tsv
mapfile -t texts < <(
  find Sources Tests Integrations Scripts Examples Benchmarks Documentation -name .build -prune -o -type f \
    \( -name '*.swift' -o -name '*.md' -o -name '*.sh' -o -name '*.awk' \) -print | LC_ALL=C sort
)
((${#texts[@]} > 1)) || fail "no texts were found"
awk -f Scripts/gates/prose.awk "${texts[@]}" ./*.md > "$prose"
[[ -s $prose ]] || fail "no prose was left"

# idiom PATTERN ADVICE [WHERE]: reports the paragraphs that contain PATTERN, in the files whose path contains WHERE.
idiom() {
  local hits
  hits=$(search -P "^[^\t]*(?:${3:-})[^\t]*\t\d+\t.*(?:$1)" "$prose" | search -vP '^Scripts/gates/words\.sh\t' -)
  [[ -n $hits ]] || return 0
  printf '%s\n' "$2"
  sed -E 's/^([^\t]*)\t([0-9]+)\t */  \1:\2: /' <<< "$hits" | cut -c -200
  found=1
}
after='(?![ -][a-z])|(?= (?:and|or|which|that|by|with|for|in|on|as|when|while|until|if|so|to|after|before)\b)'
idiom ', also\b' "Put 'also' next to its verb, or write 'even if', 'including'."
idiom ', too\b(?! (?:late|early|many|much|few|large|small|long|short|slow|deep)\b)' "Put 'also' next to its verb, or write 'as well'."
idiom "\bof (?:its|their|our|your|one's) own\b(?:$after)" "Write 'its own …', or 'a separate …', instead of '… of its own'."
idiom '(?<![Tt]here )\bis no\b(?! (?:longer|more|one|less|later|earlier)\b)' "Write 'is not a …'."
idiom '\bleft behind\b' "Write 'abandoned'."
idiom '\b[Pp]osters?\b' "Write 'the caller' or 'the posting code'."
idiom '\bwhat (?:becomes|became|has become) of\b|\bwhat (?:comes|came|has come) of\b' "Write 'the outcome of …'."
idiom '\bthat counts\b(?! [a-z])' "Write 'that is used' or 'that takes effect'."
idiom '\bcomes? to (?:note|know|be|the|its|their)\b' "Name what happens."
idiom '\bedges\b|\b(?:an|each|every|the|that|this|current|previous|next) edge\b' "An edge is part of a graph: write 'state change'." 'Sources/LaunchLoader/(?:Lifecycle|Services|Signals)/'

# This rule includes comments.
notes=$(search -nE '\b(TODO|FIXME|XXX|HACK)\b' "${files[@]}")
if [[ -n $notes ]]; then
  printf 'Unfinished work belongs in the issue tracker:\n%s\n' "$notes"
  found=1
fi

((found == 0)) || fail "see the lines above"
echo "${#files[@]} files, ${#tests[@]} of tests."
