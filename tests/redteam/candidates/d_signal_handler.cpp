/* redteam
trick = "Installs a handler for its own faults and steps over them"
entries = ["D9"]
accept = ["correct", "cheating_suspected", "crashed", "policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include <signal.h>
#include <ucontext.h>

static void skip(int, siginfo_t*, void* context) {
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  struct sigaction act{};
  act.sa_sigaction = skip;
  act.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &act, nullptr);
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
