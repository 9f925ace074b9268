#!/usr/bin/env bash
# every link leads somewhere, in Markdown files and on the site of the documentation, which a browser shows
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for tool in "${CHROMIUM:-chromium}" python3; do
  command -v "$tool" > /dev/null || fail "$tool is missing; CHROMIUM may name another browser of that family"
done
python3 -B Scripts/site/forge.py || fail "these links lead nowhere on a forge"
# As the pages of a forge, which are not at the root of their server.
base=EventBus
Scripts/site.sh --base "$base" "$work/site" || fail "the site does not build"
timeout -k 10 300 python3 -B Scripts/site "$work/site" "$base" || fail "see above; Scripts/site.sh builds the site"
