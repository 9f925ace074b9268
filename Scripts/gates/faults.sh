#!/usr/bin/env bash
# tests notice a tenth of the faults in Tests/Faults, another one each day
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

Scripts/plant-faults.sh --tenth || fail "a fault goes unnoticed, or its patch no longer fits; see above"
