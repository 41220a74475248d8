#!/bin/bash
# What takes longer than a push may: scripts/nightly.sh [--stage NAME]...
#
#   --stage NAME     run only this stage (repeatable): scenarios (of living workers, their long forms; dispatchers; compiled baselines; listings run), crash (200
#                    kills), images (1000 power cuts of the store), redteam (1000 hostile evaluations), honest (2000 checks of honest kernels, and
#                    of wrong ones beside them), asan (every room and the scenarios), tsan (every room that it can look into), fuzz (10 minutes per fuzzer), lint (every file; every header
#                    compiled alone), bundle (in other systems' roots, as root), aa (200 evaluations of the reference against itself, and kernels of known ratio),
#                    skills (a later campaign with and without what an earlier one has learnt: evaluations to the target)
#
# Goes on after a failure, so that one night tells everything; the output of a stage stays in build/nightly/NAME.log until it runs again.
# KE_JOBS: compilers and tests at once (default: cores). KE_ROOTS: where the roots lie (build/roots). KE_KILLS, KE_POWER_IMAGES, KE_HOSTILE, KE_HONEST, KE_FUZZ_SECONDS, KE_AA, KE_SKILL_SEEDS: how many.
# Exit code: 0; 1 a stage failed; 2 bad usage.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${KE_JOBS:-$(nproc)}
runtime=$PWD/build/release/ke-runtime

build() { # build TARGET...
  [ -f build/release/build.ninja ] || cmake --preset release
  ninja -C build/release -j "$jobs" "$@"
}

stage_scenarios() {
  build ke-runtime ke-judge ke-driver ke-profiler ke-fake-llm
  cd tests/scenario
  KE_NIGHTLY=1 KE_RUNTIME=$runtime KE_SCENARIO_SLACK=2 python3 -B -m unittest -v fleet_*_test.py dispatcher_test.py compile_baseline_test.py listings_run_test.py
}

stage_crash() {
  build ke-runtime ke-judge ke-driver ke-fake-llm
  KE_RUNTIME=$runtime tests/scenario/crash_loop.sh "${KE_KILLS:-200}"
}

stage_images() {
  build ke_store_test
  KE_POWER_IMAGES=${KE_POWER_IMAGES:-1000} build/release/tests/ke_store_test '*power cut at any moment*'
}

stage_redteam() { scripts/redteam.sh "${KE_HOSTILE:-1000}"; }

stage_honest() {
  build ke-runtime ke-judge ke-driver
  KE_RUNTIME=$runtime python3 -B tests/honest/honest.py --checks "${KE_HONEST:-2000}" --parallel "$jobs"
}

stage_asan() { scripts/test.sh --no-install --stage asan-all; }

stage_tsan() { scripts/test.sh --no-install --stage tsan-all; }

stage_lint() {
  scripts/check_headers.sh
  scripts/lint.sh --all
}

stage_bundle() {
  scripts/bundle.sh --output build/bundle.tar.zst
  scripts/bundle_check.sh build/bundle.tar.zst --roots "${KE_ROOTS:-build/roots}"
}

stage_aa() { scripts/aa_control.sh "${KE_AA:-200}"; }

stage_skills() {
  build ke-runtime ke-judge ke-driver ke-profiler
  python3 -B tests/bench/skills/skill_bench.py --seeds "${KE_SKILL_SEEDS:-1..7}"
}

stage_fuzz() { KE_JOBS=$jobs scripts/fuzz.sh "${KE_FUZZ_SECONDS:-600}"; }

stages=
while [ $# -gt 0 ]; do
  case $1 in
    --stage)
      shift
      declare -F "stage_${1:-none}" > /dev/null || {
        echo "--stage takes one of: scenarios crash images redteam honest asan tsan fuzz lint bundle aa skills" >&2
        exit 2
      }
      stages="$stages $1"
      ;;
    -h | --help)
      sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'
      exit 0
      ;;
    *)
      echo "scripts/nightly.sh knows --stage NAME, not '$1'" >&2
      exit 2
      ;;
  esac
  shift
done

mkdir -p build/nightly
failed=
for stage in ${stages:-scenarios crash images redteam honest asan tsan fuzz lint bundle aa skills}; do
  log=build/nightly/$stage.log
  echo "== $stage, $(date -u +%FT%TZ): $log"
  start=$SECONDS
  set +e
  (
    set -e
    "stage_$stage"
  ) > "$log" 2>&1
  code=$?
  set -e
  echo "-- $stage: $((SECONDS - start)) s"
  if [ $code -ne 0 ]; then
    failed="$failed $stage"
    tail -n 40 "$log" >&2
  fi
done
if [ -n "$failed" ]; then
  echo "failed:$failed; again, alone: scripts/nightly.sh --stage NAME" >&2
  exit 1
fi
