#!/bin/sh
# Builds the fuzzers with clang and the sanitizers and runs each for some seconds: scripts/fuzz.sh [seconds] [name...]
# New inputs stay in build/fuzz/corpus; a crash is written to build/fuzz/crashes. Keep worthwhile ones under tests/fuzz/corpus/NAME/.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-5}
[ $# -gt 0 ] && shift
cmake --preset fuzz > /dev/null
names=${*:-$(sed -n 's/^ke_fuzz(\([a-z0-9_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)}
for name in $names; do
  cmake --build build/fuzz --target "ke_${name}_fuzz"
done
rm -rf build/fuzz/crashes
mkdir -p build/fuzz/crashes
for name in $names; do
  mkdir -p "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
  echo "== $name, $seconds s"
  "build/fuzz/tests/fuzz/ke_${name}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
    -artifact_prefix="build/fuzz/crashes/$name-" -print_final_stats=1 -verbosity=1 \
    "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" 2>&1 | grep -E 'ERROR|SUMMARY|stat::number_of_executed|INITED|DONE|Sanitizer' || true
done
if [ -n "$(ls -A build/fuzz/crashes)" ]; then
  echo "crashes are in build/fuzz/crashes" >&2
  exit 1
fi
