#!/bin/bash
# Formats every C++ file of ours in place: scripts/format.sh [--check] [FILE...]. With --check it changes nothing and fails on a difference.
# References and candidates of problems keep the shape in which they are shown to people and models.
set -euo pipefail
cd "$(dirname "$0")/.."
check=no
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(find actors backends config interface knowledge runtime scripts tests \
    \( -path config/problems -o -path tests/redteam -o -path tests/config/bad \) -prune -o \
    -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -print | sort)
fi
if [ $check = no ]; then
  clang-format-19 -i "${files[@]}"
  exit 0
fi
bad=()
for file in "${files[@]}"; do
  clang-format-19 --dry-run -Werror "$file" > /dev/null 2>&1 || bad+=("$file")
done
if [ ${#bad[@]} -gt 0 ]; then
  printf '%s\n' "${bad[@]}"
  echo "${#bad[@]} of ${#files[@]} files are not formatted; scripts/format.sh does it"
  exit 1
fi
echo "format: ${#files[@]} files"
