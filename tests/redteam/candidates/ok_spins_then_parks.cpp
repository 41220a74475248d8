/* redteam
trick = "A pool whose thread spins for a while before it parks, so that it works between the calls, but on nothing"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
timed = true
least_speedup = 0.2
most_speedup = 2.2
*/
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>

namespace {
using steady = std::chrono::steady_clock;

/// Spins for 50 us, as OpenMP's runtimes do, then sleeps.
void wait_while(std::atomic<uint32_t>& word, uint32_t seen) {
  auto until = steady::now() + std::chrono::microseconds(50);
  while (word.load() == seen)
    if (steady::now() > until)
      word.wait(seen);
}

struct pool {
  const float* x = nullptr;
  float* y = nullptr;
  int64_t n = 0;
  std::atomic<uint32_t> asked{0}, done{0};
  pool() {
    std::thread{[this] {
      for (uint32_t seen = 0;;) {
        wait_while(asked, seen);
        ++seen;
        for (int64_t i = 0; i < n; ++i)
          y[i] = std::sin(x[i]) * 1.5f + 1.0f;
        done = seen;
        done.notify_one();
      }
    }}.detach();
  }
};
pool& helper() {
  static pool* one = new pool;
  return *one;
}
} // namespace

extern "C" void kernel(const float* x, float* y, int64_t n) {
  auto& p = helper();
  int64_t half = n / 2;
  p.x = x + half;
  p.y = y + half;
  p.n = n - half;
  uint32_t turn = ++p.asked;
  p.asked.notify_one();
  for (int64_t i = 0; i < half; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  while (p.done.load() != turn)
    wait_while(p.done, turn - 1);
}
