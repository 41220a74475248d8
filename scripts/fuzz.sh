#!/bin/bash
# Builds the fuzzers (preset asan: clang and the sanitizers) and runs each for some seconds: scripts/fuzz.sh [seconds] [name...]
# New inputs stay in build/fuzz/corpus; a crash is written to build/fuzz/crashes. Keep worthwhile ones under tests/fuzz/corpus/NAME/.
# KE_JOBS: compilers and fuzzers at once (default: ninja's; one for each core). Exit code: 0; 1 if one did not build, crashed, or ended in any other bad way.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-5}
[ $# -gt 0 ] && shift
[ -f build/asan/build.ninja ] || cmake --preset asan > /dev/null
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(sed -n 's/^ke_fuzz(\([a-z0-9_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
programs=("${names[@]/#/ke_}")
ninja -C build/asan ${KE_JOBS:+-j "$KE_JOBS"} "${programs[@]/%/_fuzz}"
rm -rf build/fuzz/crashes
mkdir -p build/fuzz/crashes
fuzz() { # fuzz NAME: to its log; leaves a file beside it if it ended badly
  # -timeout is for one input, on a machine that may be busy.
  "build/asan/tests/fuzz/ke_$1_fuzz" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=4096 \
    -artifact_prefix="build/fuzz/crashes/$1-" -print_final_stats=1 -verbosity=1 \
    "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" > "build/fuzz/$1.log" 2>&1 || touch "build/fuzz/$1.bad"
}
for name in "${names[@]}"; do
  mkdir -p "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
  rm -f "build/fuzz/$name.bad"
done
export seconds
export -f fuzz
printf '%s\n' "${names[@]}" | xargs -P "${KE_JOBS:-$(nproc)}" -I{} bash -c 'fuzz {}'
bad=
for name in "${names[@]}"; do
  echo "== $name, $seconds s"
  grep -E 'ERROR|SUMMARY|stat::number_of_executed|INITED|DONE|Sanitizer|runtime error' "build/fuzz/$name.log" || true
  [ ! -e "build/fuzz/$name.bad" ] || bad="$bad $name"
done
for name in $bad; do
  echo "== the end of build/fuzz/$name.log" >&2
  tail -n 40 "build/fuzz/$name.log" >&2
done
if [ -n "$bad" ]; then
  echo "These fuzzers ended badly:$bad; inputs that crash are in build/fuzz/crashes" >&2
  exit 1
fi
