/* redteam
trick = "Threads that stay, started once, and wait by std::atomic::wait: libstdc++ puts the system call for it into the object"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
timed = true
least_speedup = 0.2
most_speedup = 2.2
*/
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>

namespace {
struct pool {
  const float* x = nullptr;
  float* y = nullptr;
  int64_t n = 0;
  std::atomic<uint32_t> asked{0}, done{0};
  pool() {
    std::thread{[this] {
      for (uint32_t seen = 0;;) {
        asked.wait(seen);
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
  for (uint32_t seen = p.done; seen != turn; seen = p.done)
    p.done.wait(seen);
}
