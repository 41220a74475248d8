#!/bin/bash
# From a fresh machine to two optimized kernels: scripts/quickstart.sh [--store DIR]
#
# Installs what building needs (apt only), builds build/release/ke-runtime with its judge, searches a faster conv1d and a faster softmax on this
# machine's CPU with the built-in playbook (no account, no network), and ends with the best kernels, their measured speedups with intervals, and
# where the report lies. Run again, it resumes or shows what the store already holds. Ctrl-C once drains and saves, twice stops at once.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

store=
while [ $# -gt 0 ]; do
  case $1 in
    --store)
      store=${2:?--store takes a folder}
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'
      exit 0
      ;;
    *)
      echo "scripts/quickstart.sh knows --store DIR, not '$1'" >&2
      exit 2
      ;;
  esac
  shift
done
store=${store:-${HOME:-/root}/.local/share/ke-runtime/quickstart}
mkdir -p "$store"
store=$(cd "$store" && pwd)

# shellcheck disable=SC2086
install_packages "what building and running needs" $packages_to_build $packages_to_run

memory_gb=$(awk '/^MemTotal/ {print int($2 / 1048576)}' /proc/meminfo)
jobs=$((memory_gb / 2 < $(nproc) ? memory_gb / 2 : $(nproc)))
jobs=${KE_JOBS:-$((jobs > 0 ? jobs : 1))}
echo "== building build/release/ke-runtime ($jobs at a time; the first time takes minutes)"
mkdir -p build
if [ ! -f build/release/build.ninja ]; then
  cmake --preset release > build/release.log 2>&1 || {
    cat build/release.log >&2
    exit 4
  }
fi
ninja -C build/release -j "$jobs" ke-runtime ke-judge ke-driver
ke=build/release/ke-runtime

# A campaign's exit code: 0 a proven winner; 1 it ran, and nothing better than the baseline was proven; 130 interrupted, saved. The rest
# ends this script with the same code.
unproven=
for name in conv1d softmax; do
  echo
  echo "== campaign $name"
  code=0
  "$ke" --config "config/quickstart/$name.toml" --set "campaign.store=\"$store\"" || code=$?
  case $code in
    0) ;;
    1) unproven="$unproven $name" ;;
    130)
      echo "Interrupted; everything is saved. scripts/quickstart.sh goes on from here." >&2
      exit 130
      ;;
    *)
      echo "The campaign $name ended with exit code $code; what to do stands above, and '$ke doctor' says what this machine can do." >&2
      exit "$code"
      ;;
  esac
  echo "-- $name ended $SECONDS s after the start of this script"
done

echo
echo "== report"
report=$store/report.html
"$ke" report --store "$store" -o "$report"

echo
echo "== the best kernels"
"$ke" best --store "$store" || [ $? -eq 1 ]
echo
if [ -n "$unproven" ]; then
  echo "Nothing better than the reference was proven for:$unproven. A busy machine is the usual reason (see 'A/A' in the report): run again when it is quiet."
fi
echo "Report: $report"
# The store holds several campaigns: what speaks of one names it.
echo "Look around: $ke status --store $store   $ke tree --store $store --campaign softmax   $ke export best --store $store --campaign softmax -o kernels"
[ -z "$unproven" ] || exit 1
