/* redteam
trick = "An endless loop that ignores and blocks every signal"
entries = ["F8"]
accept = ["timeout"]
answers = "call"
*/
#include <cmath>
#include <csignal>
#include <cstdint>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (int s = 1; s < 65; ++s)
    std::signal(s, SIG_IGN);
  for (;;)
    asm volatile("");
}
