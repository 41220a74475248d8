#!/bin/bash
# The red team, at length: scripts/redteam.sh [N] [SEED]: N hostile evaluations (default 1000), a control after every 25. Nothing may be left
# behind, and the control's verdict may not change. Without N the test suite runs each candidate once: ctest -L redteam.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release > /dev/null
ninja -C build/release ke-runtime ke-judge ke-driver
exec python3 -B tests/redteam/redteam.py --runs "${1:-1000}" --seed "${2:-$RANDOM}"
