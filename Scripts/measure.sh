#!/usr/bin/env bash
# Prints the size and the shape of the sources beside their targets.
#
#   Scripts/measure.sh             the table: now, the figure that Scripts/measures.txt allows, the target
#   Scripts/measure.sh --pairs     the table, then each pair of places that share code
#   Scripts/measure.sh --circles   … each circle of files that use one another's names
#   Scripts/measure.sh --names     … each name of several files that no file is called after
#   Scripts/measure.sh --tuples    … each tuple type with three and more fields
#   Scripts/measure.sh --package   … each package declaration that nothing outside its module names
#   Scripts/measure.sh --long      … each file past 400 lines
#   Scripts/measure.sh --check     … the figures that grew without a reason, and the faults of *Where to read*
#   Scripts/measure.sh --write     lowers the figures of Scripts/measures.txt that have fallen
#
# Scripts/measure/measures.py defines each measure, and Scripts/measure/ledger.py how a figure may grow.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;;
esac
command -v python3 > /dev/null || { echo "python3 is needed." >&2; exit 1; }
exec python3 -B Scripts/measure "$@"
