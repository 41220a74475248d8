// Linked into the sanitized ke-runtime and ke-judge only. They start each other without the caller's
// environment, and a supervisor that restarts a crashed child hides the crash: so every report becomes a
// file, and scripts/test.sh fails on any.

#define KE_OPTIONS "log_path=" KE_REPORTS "/report:exitcode=99"

extern "C" {
const char* __asan_default_options() { // NOLINT(bugprone-reserved-identifier): the sanitizers' name
  return KE_OPTIONS ":detect_stack_use_after_return=1";
}
const char* __ubsan_default_options() { // NOLINT(bugprone-reserved-identifier): the sanitizers' name
  return KE_OPTIONS ":print_stacktrace=1";
}
}
