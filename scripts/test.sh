#!/bin/bash
# Installs what is missing, builds, and passes the tests: scripts/test.sh [--all] [--deps-only] [--stage NAME]...
#
#   (nothing)        units, scenarios, checks: 12 minutes after the build on two cores
#   --all            and what a push must pass (.ci/run): bundle, long (slow scenarios, PyTorch, timing, benches), redteam, honest, asan, tsan,
#                    fuzz, crash, lint, diagnosis, aa
#   --stage NAME     run only this stage (repeatable); asan-all and tsan-all (every room under sanitizers) only when named
#   --deps-only      stop after installing (packages with apt, .venv with pip)
#   --no-venv        leave .venv alone; where there is none, the tests of the PyTorch backends are left out, and the end says so
#   --no-install     install nothing: what is missing shows itself
#
# No test gets a second try. KE_JOBS: compilers and tests at once (default: cores, at most one per 2 GB of memory). How much of a stage: KE_HONEST
# (checks of honest kernels, default 60), KE_AA (evaluations of the reference against itself, 20), KE_HEADERS (that changed last, each compiled
# alone, 150), KE_LINT (files, 20), KE_FUZZ_SECONDS (per fuzzer, 3), KE_KILLS and KE_POWER_IMAGES (of the stage crash, 4 and 500). What takes longer is in scripts/nightly.sh.
# Exit code: 0; 1 a stage failed; 2 bad usage; 3 something could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# Rooms that start threads; the others without CAF are in tsan-all, which scripts/nightly.sh runs. The packaged CAF is not instrumented. Left out, with
# why: process, and llm and backends, which start programs through it (the launcher shares memory with the child, CLONE_VM, which ThreadSanitizer takes
# for a fork and reports or dies).
tsan_rooms="core observe store net fleet"
rooms_without_threads="text search playbook records knowledge config"

say() { printf '\n== %s\n' "$*"; }

build() { # build PRESET [TARGET...]
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" > "build/$preset.log" 2>&1 || {
    cat "build/$preset.log" >&2
    return 1
  }
  ninja -C "build/$preset" -j "$jobs" "$@"
}

tests() { # tests PRESET [CTEST ARGUMENT...]
  local preset=$1
  shift
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@" | tee -a "build/$stage-ctest.log"
}

stage_checks() {
  python3 scripts/check_layering.py
  python3 scripts/check_keys.py
  python3 scripts/check_kinds.py
  python3 scripts/check_readmes.py
  python3 scripts/tour.py --most 1666
  python3 scripts/check_drivers.py
  python3 scripts/check_evidence.py
  python3 scripts/check_fan_out.py
  scripts/check_headers.sh --most "${KE_HEADERS:-150}"
  scripts/format.sh --check
}

without_torch() { [ ! -x .venv/bin/python ] && [ -z "${KE_PYTHON:-}" ]; }

# What is no unit: named by label.
not_units='scenario|torch|redteam|slow|timing|bench|diagnosis'

stage_units() {
  build release
  tests release -LE "$not_units"
}

# A scenario waits more than it computes: two for each processor.
scenarios() { tests release -j $((2 * jobs)) -L scenario "$@"; }

stage_scenarios() {
  build release
  scenarios -LE 'long|torch'
}

# All that is neither a unit nor a short scenario. The red team attacks the clock: it runs with nothing beside it.
stage_long() {
  build release
  local without='diagnosis|redteam|nightly'
  without_torch && without="torch|$without"
  tests release -L 'torch|slow|timing|bench' -LE "scenario|$without"
  scenarios -L 'long|torch' -LE "$without" -E '^scenario: crash$' # the stage crash kills more often
}

stage_redteam() {
  build release
  local without=diagnosis
  without_torch && without="torch|diagnosis"
  tests release -L redteam -LE "$without"
}

# How often the judge calls the reference faster than itself.
stage_aa() { scripts/aa_control.sh "${KE_AA:-20}" --only-aa; }

# The same kernels for everybody; scripts/nightly.sh draws others each night.
stage_honest() {
  build release ke-runtime ke-judge ke-driver
  KE_RUNTIME=$PWD/build/release/ke-runtime python3 -B tests/honest/honest.py --checks "${KE_HONEST:-60}" --seed 15 --parallel "$jobs"
}

# Kernels made for one bottleneck each, told apart.
stage_diagnosis() {
  build release
  tests release -L diagnosis
}

# Rooms without CAF: the others take clang an hour on two cores. They are in asan-all, which scripts/nightly.sh runs.
asan_rooms="core text observe store net fleet process llm records playbook search config knowledge backends"

stage_asan() {
  # shellcheck disable=SC2046,SC2086
  build asan $(printf 'ke_%s_test ' $asan_rooms)
  sanitized -R "^(${asan_rooms// /|}): ?"
}

stage_asan-all() {
  build asan
  sanitized
}

sanitized() { # sanitized [CTEST ARGUMENT...]
  rm -rf build/asan/reports
  mkdir -p -m 1777 build/asan/reports # of every sanitized process that no test looks at
  ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 tests asan "$@" -LE 'slow|timing|torch|redteam|costly' || {
    tail -n 40 build/asan/reports/* >&2
    return 1
  }
  if [ -n "$(ls -A build/asan/reports)" ]; then
    echo "All tests passed, but a program that they started did not please its sanitizer:" >&2
    tail -n 60 build/asan/reports/* >&2
    return 1
  fi
}

stage_tsan() { tsan "$tsan_rooms"; }

stage_tsan-all() { tsan "$tsan_rooms $rooms_without_threads"; }

tsan() { # tsan ROOMS
  # shellcheck disable=SC2046,SC2086
  build tsan $(printf 'ke_%s_test ' $1)
  TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/tests/tsan.supp tests tsan -R "^(${1// /|}): ?" -LE 'slow|timing|costly'
}

# All but `documents`, which needs the actors: scripts/nightly.sh has it.
stage_fuzz() {
  # shellcheck disable=SC2046
  KE_JOBS=$jobs scripts/fuzz.sh "${KE_FUZZ_SECONDS:-3}" $(sed -n 's/^ke_fuzz(\([a-z0-9_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt | grep -vx documents)
}

stage_crash() {
  if [ ! -x tests/scenario/crash_loop.sh ]; then
    echo "tests/scenario/crash_loop.sh is not in this tree: skipped"
    return 0
  fi
  build release ke-runtime ke-judge ke-driver ke-fake-llm ke_store_test
  KE_POWER_IMAGES=${KE_POWER_IMAGES:-500} build/release/tests/ke_store_test "a power cut*"
  KE_RUNTIME=$PWD/build/release/ke-runtime tests/scenario/crash_loop.sh "${KE_KILLS:-4}"
}

stage_lint() { scripts/lint.sh --most "${KE_LINT:-20}"; }

# The archive for other machines, read and run on this one; scripts/nightly.sh runs it in other systems.
stage_bundle() {
  scripts/bundle.sh --output build/bundle.tar.zst
  scripts/bundle_check.sh build/bundle.tar.zst
}

all="units scenarios checks bundle long redteam honest asan tsan fuzz crash lint diagnosis aa"
deps_only=no
venv=yes
install=yes
stages=
while [ $# -gt 0 ]; do
  case $1 in
    --all) stages="$stages $all" ;;
    --deps-only) deps_only=yes ;;
    --no-venv) venv=no ;;
    --no-install) install=no venv=no ;;
    --stage)
      shift
      declare -F "stage_${1:-none}" > /dev/null || {
        echo "--stage takes one of: $all asan-all tsan-all" >&2
        exit 2
      }
      stages="$stages $1"
      ;;
    -h | --help)
      sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'
      exit 0
      ;;
    *)
      echo "scripts/test.sh knows --all, --deps-only, --stage NAME, --no-venv and --no-install, not '$1'" >&2
      exit 2
      ;;
  esac
  shift
done

memory_gb=$(awk '/^MemTotal/ {print int($2 / 1048576)}' /proc/meminfo)
jobs=$((memory_gb / 2 < $(nproc) ? memory_gb / 2 : $(nproc)))
jobs=${KE_JOBS:-$((jobs > 0 ? jobs : 1))}

if [ $install = yes ]; then
  # shellcheck disable=SC2086
  install_packages "what building and testing needs" $packages_to_build $packages_to_run $packages_to_bundle $packages_to_test
fi
[ $venv = no ] || scripts/venv.sh
if [ $deps_only = yes ]; then
  echo "Everything that building and testing needs is here."
  exit 0
fi

mkdir -p build
rm -f build/*-ctest.log # of earlier runs: the end tells of this one
summary=
for stage in ${stages:-units scenarios checks}; do
  say "$stage"
  start=$SECONDS
  set +e
  (
    set -e
    "stage_$stage"
  )
  code=$?
  set -e
  took="$((SECONDS - start)) s"
  if [ $code -ne 0 ]; then
    say "$stage failed after $took; again, alone: scripts/test.sh --stage $stage"
    exit 1
  fi
  summary="$summary$stage $took; "
  echo "-- $stage: $took"
done

say "all stages passed: ${summary%; }"
if without_torch; then
  echo "-- left out: the tests of the PyTorch backends; scripts/venv.sh makes what they need"
fi
for log in build/*-ctest.log; do
  [ -f "$log" ] || continue
  echo "-- $(basename "$log" -ctest.log)"
  grep -E '^([0-9]+% tests passed|Total Test time)' "$log" || true
done
