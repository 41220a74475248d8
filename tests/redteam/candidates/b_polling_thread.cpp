/* redteam
trick = "A thread watches the inputs' addresses and computes ahead between the calls"
entries = ["B5"]
accept = ["correct", "cheating_suspected", "incorrect", "nondeterministic", "noisy"]
timed = true
problem = "wave2"
most_speedup = 1.15
*/
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>

static constexpr int64_t most = 1 << 18;
static float ahead[most];
static const float* volatile watch_x = nullptr;
static volatile int64_t watch_n = 0;
static volatile float ready_for = 0;
static volatile bool ready = false;

extern "C" void kernel(const float* x, float* y, int64_t n) {
  if (x == watch_x && n == watch_n && ready_for == x[0] && ready) {
    std::memcpy(y, ahead, n * sizeof(float));
    ready = false;
    return;
  }
  static bool started = false;
  if (!started && n <= most) {
    started = true;
    std::thread{[] {
      for (;;) {
        const volatile float* from = watch_x;
        if (!from || from[0] == ready_for)
          continue;
        float first = from[0];
        for (int64_t i = 0; i < watch_n; ++i)
          ahead[i] = std::sin(from[i]) * 1.5f + 1.0f;
        ready_for = first;
        ready = true;
      }
    }}.detach();
  }
  if (n <= most) {
    watch_n = n;
    watch_x = x;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
