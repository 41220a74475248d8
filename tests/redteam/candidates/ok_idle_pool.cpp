/* redteam
trick = "A thread of its own that sleeps between the calls"
entries = []
accept = ["correct"]
control = true
problem = "wave2"
timed = true
least_speedup = 0.2
most_speedup = 2.2
*/
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {
struct pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  const float* x = nullptr;
  float* y = nullptr;
  int64_t n = 0;
  bool work = false;
  pool() {
    std::thread{[this] {
      std::unique_lock lock{mutex};
      for (;;) {
        wake.wait(lock, [this] { return work; });
        for (int64_t i = 0; i < n; ++i)
          y[i] = std::sin(x[i]) * 1.5f + 1.0f;
        work = false;
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
  {
    std::lock_guard lock{p.mutex};
    p.x = x + half;
    p.y = y + half;
    p.n = n - half;
    p.work = true;
  }
  p.wake.notify_one();
  for (int64_t i = 0; i < half; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
  std::unique_lock lock{p.mutex};
  p.done.wait(lock, [&] { return !p.work; });
}
