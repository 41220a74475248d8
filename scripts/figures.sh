#!/bin/bash
# The figures of the runtime's own cost, in one table: builds the release preset and the programs of tests/bench, then runs them all.
# Some minutes; options as of tests/bench/figures.py, e.g. --nodes 1000000 --only G6,G7,G8. Trust ratios: the machine's other load is in them.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release > /dev/null
ninja -C build/release ke-runtime ke-fake-llm benches
exec python3 tests/bench/figures.py --build build/release "$@"
