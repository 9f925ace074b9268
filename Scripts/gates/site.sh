#!/usr/bin/env bash
# every link of the site of the documentation leads somewhere, and a browser shows its pages
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for tool in "${CHROMIUM:-chromium}" python3; do
  command -v "$tool" > /dev/null || fail "$tool is missing; CHROMIUM may name another browser of that family"
done
# As the pages of a forge, which are not at the root of their server.
Scripts/site.sh --base EventBus "$work/site" || fail "the site does not build"
timeout -k 10 900 python3 -B Scripts/site.py "$work/site" EventBus || fail "see above; Scripts/site.sh builds the site"
