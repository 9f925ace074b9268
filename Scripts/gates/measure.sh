#!/usr/bin/env bash
# lines of code and public names stay within Scripts/limits.txt; no file has more than 400 lines
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

Scripts/measure.sh || fail "make room, or raise the limit in Scripts/limits.txt and give the reason in the commit"
