#!/bin/bash
# How often the judge is wrong about honest kernels: scripts/aa_control.sh [N] [OPTION...]
#
# N evaluations (default 200) of the reference against itself: "faster" in at most 5% of them. Then candidates whose true ratio is known: the work
# done twice, and three that attack the clock while they do it three times. --plan rank|eval, --load N (busy loops beside it), --only-aa.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release > /dev/null
ninja -C build/release ke-runtime ke-judge ke-driver
exec python3 -B tests/redteam/figures.py --runs "${1:-200}" "${@:2}"
