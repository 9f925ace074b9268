#!/usr/bin/env bash
# the packages in Integrations pass all of their steps
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

passed=0
for name in "${integrations[@]}"; do
  integration "$name" --full || fail "$bad failed in Integrations/$name"
  passed=$((passed + good))
done
echo "$passed steps and tests passed."
