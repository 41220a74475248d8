#!/bin/bash
# clang-tidy over what changed since HEAD, or, in a clean tree, in the last commit: scripts/lint.sh [--all | --most N | FILE...].
# --most: of a larger change N files, spread over it. Makes build/lint for how files compile, each on its own.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release -B build/lint -DKE_UNITY=OFF > /dev/null
most=0
if [ "${1:-}" = --most ]; then
  most=${2:?--most takes a number}
  shift 2
fi
if [ "${1:-}" = --all ]; then
  mapfile -t files < <(find actors backends config interface knowledge runtime -path config/problems -prune -o -name '*.cpp' -print | sort)
elif [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <({
    if [ -n "$(git status --porcelain)" ]; then
      git diff --name-only --diff-filter=d HEAD
      git ls-files --others --exclude-standard
    else
      git diff --name-only --diff-filter=d HEAD^ HEAD
    fi
  } | grep -E '^(actors|backends|config|interface|knowledge|runtime)/.*\.cpp$' | grep -v '^config/problems/' | sort -u)
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "lint: nothing changed"
  exit 0
fi
changed=${#files[@]}
if [ "$most" -gt 0 ] && [ "$changed" -gt "$most" ]; then
  mapfile -t files < <(printf '%s\n' "${files[@]}" | awk -v n="$changed" -v k="$most" 'int(NR * k / n) != int((NR - 1) * k / n)')
fi
# GCC's precompiled header and its flags are none of clang's business.
database=build/lint/plain
mkdir -p $database
python3 - build/lint/compile_commands.json $database/compile_commands.json << 'PYTHON'
import json, re, sys
commands = json.load(open(sys.argv[1]))
for entry in commands:
    entry["command"] = re.sub(r"-include \S*cmake_pch\S*|-Winvalid-pch|^\S*ccache ", " ", entry["command"])
json.dump(commands, open(sys.argv[2], "w"))
PYTHON
printf '%s\n' "${files[@]}" | xargs -n 1 -P "${KE_JOBS:-$(nproc)}" clang-tidy-19 -p $database --quiet --warnings-as-errors='*' 2> >(grep -v ' warnings\? generated' >&2)
echo "lint: ${#files[@]} of $changed files"
