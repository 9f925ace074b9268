#!/usr/bin/env bash
# size and shape grow only with a reason; the lists and the table of CONTRIBUTING.md are complete
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

Scripts/measure.sh --check \
  || fail "see above; Scripts/measure.sh --help prints the options that list the places of a figure"

missing=()
for gate in $(Scripts/check.sh --list); do
  grep -qF "| \`$gate\` |" CONTRIBUTING.md || missing+=("$gate")
done
((${#missing[@]} == 0)) || fail "the table of gates in CONTRIBUTING.md lacks: ${missing[*]}"
