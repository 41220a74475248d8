#!/bin/bash
# Writes the key tables of the manual from the schemas in config/: scripts/manual.sh. tests/config/manual_test.cpp fails if this was forgotten.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${KE_BUILD:-build/release}
[ -f "$build/build.ninja" ] || cmake --preset release > /dev/null
ninja -C "$build" ke-print-reference > /dev/null
for kind in campaign problem; do
  page=docs/manual/$kind.md
  [ $kind = problem ] && page=docs/manual/problems.md
  "$build/ke-print-reference" $kind | python3 scripts/manual/insert_keys.py "$page"
done
