#!/bin/sh
# Kills a campaign's owner N times (default 20) at random moments and checks what must hold afterwards: crash_loop.sh [N] [SEED]
# KE_RUNTIME: the program (default: build/release/ke-runtime). A failure prints its seed.
here=$(cd "$(dirname "$0")" && pwd)
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/crash_loop.py" "${1:-20}" ${2:+"$2"}
