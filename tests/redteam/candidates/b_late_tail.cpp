/* redteam
trick = "A pool that spins as an honest one does, but leaves the last elements for after the answer"
entries = ["B2"]
accept = ["incorrect", "cheating_suspected", "nondeterministic"]
timed = true
problem = "wave2"
most_speedup = 1.1
*/
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>

namespace {
struct pool {
  const float* x = nullptr;
  float* y = nullptr;
  int64_t from = 0, to = 0;
  std::atomic<uint32_t> asked{0};
  pool() {
    std::thread{[this] {
      for (uint32_t seen = 0;;) {
        for (int i = 0; i < 20000 && asked.load() == seen; ++i) {
        }
        asked.wait(seen);
        ++seen;
        for (int64_t i = from; i < to; ++i)
          y[i] = std::sin(x[i]) * 1.5f + 1.0f;
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
  int64_t most = n - 200; // a few microseconds
  for (int64_t i = 0; i < most; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  p.x = x;
  p.y = y;
  p.from = most;
  p.to = n;
  ++p.asked;
  p.asked.notify_one();
}
