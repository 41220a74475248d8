#!/bin/bash
# Rules that a compiler's warnings do not know: scripts/check_headers.sh [--quick | --most N]
#   - every header compiles alone (not with --quick; headers that reach CAF are left to their sources: 20 s each). --most: only
#     the N that changed last, by git; a second each without a compiler cache
#   - no file of ours is longer than 600 lines, tests 800
#   - no test sleeps, no source waits for later to be finished
#   - no JSON document is written so that foreign bytes throw
set -euo pipefail
cd "$(dirname "$0")/.."
quick=no
most=0
case ${1:-} in
  --quick) quick=yes ;;
  --most) most=${2:?--most takes a number} ;;
esac
failed=no
fail() {
  echo "$*"
  failed=yes
}

mapfile -t files < <(find actors backends config interface knowledge runtime tests scripts \
  \( -path config/problems -o -path tests/redteam -o -path tests/listings -o -path tests/config/bad -o -path tests/fuzz/corpus \) -prune -o \
  -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.sh' -o -name '*.py' \) -print | sort)

while read -r lines file; do
  limit=600
  [[ $file == tests/* ]] && limit=800
  [ "$file" = total ] || [ "$lines" -le $limit ] || fail "$file:$limit: $lines lines; split it (limit $limit)"
done < <(wc -l "${files[@]}")

later='TO''DO|FIX''ME|X''XX'
if grep -nE "\b($later)\b" "${files[@]}" CMakeLists.txt; then
  fail "finish it, or write down in the documents what is not done"
fi

# A wait with a bounded timeout is fine; a sleep makes a test slow on a quiet machine and wrong on a busy one. Source text that a test gives to
# a child process (a string) may sleep: that is what the test is about.
mapfile -t tests < <(printf '%s\n' "${files[@]}" | grep -E '^tests/.*\.(hpp|cpp)$' | grep -v '^tests/bench/')
if python3 - "${tests[@]}" << 'PYTHON'
import re, sys
found = 0
for name in sys.argv[1:]:
    text = open(name).read()
    blank = lambda m: "\n" * m.group(0).count("\n")
    text = re.sub(r'R"([^(\s]*)\(.*?\)\1"', blank, text, flags=re.S)
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"', blank, text, flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\bsleep_for\b|\bsleep_until\b|\busleep\b|\bnanosleep\b|(?<![\w.])sleep\s*\(", line):
            found += 1
            print(f"{name}:{number}: {line.strip()}")
sys.exit(0 if found else 1)
PYTHON
then
  fail "a test sleeps: use virtual time, an event, or a wait that something ends"
fi

# A document may hold a text of a worker, a model or a client: written strictly, one byte that is not UTF-8 throws.
if grep -nE '\.dump\(\s*(-?[0-9]+)?\s*\)' $(printf '%s\n' "${files[@]}" | grep -E '^(actors|backends|config|interface|knowledge|runtime)/.*\.(hpp|cpp)$'); then
  fail "write documents with json_line (runtime/text/json_line.hpp)"
fi

if [ $quick = no ]; then
  flags=(-std=c++20 -O0 -I. -Wall -Wextra -Wno-missing-field-initializers -Wno-pragma-once-outside-header -Werror)
  read -ra packages <<< "$(pkg-config --cflags libsodium libzstd lmdb libzmq libseccomp libcurl tomlplusplus fmt spdlog)"
  mkdir -p build/headers
  # Headers that reach actors/supervision/caf.hpp, directly or through another.
  mapfile -t headers < <(python3 - "${files[@]}" << 'PYTHON'
import re, sys
headers = [f for f in sys.argv[1:] if f.endswith(".hpp")]
direct = {h: re.findall(r'^#include "([^"]+)"', open(h).read(), re.M) for h in headers}
reach = {h for h in headers if re.search(r"#include <caf/", open(h).read())}
grown = True
while grown:
    more = {h for h in headers if h not in reach and any(d in reach for d in direct[h])}
    grown = bool(more)
    reach |= more
print("\n".join(h for h in headers if h not in reach))
PYTHON
  )
  if [ "$most" -gt 0 ]; then
    # Not yet committed, then by the last commit that touched them.
    mapfile -t headers < <({
      git ls-files --modified --others --exclude-standard
      git log --name-only --format= 2> /dev/null
    } | awk 'NR == FNR {known[$0] = 1; next} $0 in known && !seen[$0]++' <(printf '%s\n' "${headers[@]}") - | head -n "$most")
  fi
  compiler=g++
  command -v ccache > /dev/null && compiler="ccache g++"
  alone() { # alone HEADER: an object of nothing but the header, so that ccache can remember it
    local unit=build/headers/$(echo "$1" | tr / _).cpp
    [ -f "$unit" ] || printf '#include "%s"\n' "$1" > "$unit"
    # shellcheck disable=SC2086
    $compiler "${flags[@]}" "${packages[@]}" -c "$unit" -o "${unit%.cpp}.o" || {
      echo "$1 does not compile alone"
      return 1
    }
  }
  running=0
  for header in "${headers[@]}"; do
    alone "$header" &
    running=$((running + 1))
    if [ $running -ge "${KE_JOBS:-$(nproc)}" ]; then
      wait -n || failed=yes
      running=$((running - 1))
    fi
  done
  while [ $running -gt 0 ]; do
    wait -n || failed=yes
    running=$((running - 1))
  done
  echo "headers: ${#headers[@]} compiled alone"
fi

[ $failed = no ] || exit 1
echo "sources: ${#files[@]} files within the rules"
