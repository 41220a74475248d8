/* redteam
trick = "A second thread that waits for work computes half of each call, as the problem's two threads allow"
entries = ["B5"]
accept = ["correct"]
control = true
timed = true
problem = "wave2"
most_speedup = 2.6
*/
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>

struct work {
  const float* x;
  float* y;
  std::int64_t from, to;
};
static work half;
static std::atomic<int> begun{0}, ended{0};

static void wave(const work& w) {
  for (std::int64_t i = w.from; i < w.to; ++i)
    w.y[i] = std::sin(w.x[i]) * 1.5f + 1.0f;
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool started = false;
  if (!started) {
    started = true;
    std::thread{[] {
      for (int seen = 0;;) {
        begun.wait(seen);
        seen = begun.load();
        wave(half);
        ended.store(seen);
        ended.notify_one();
      }
    }}.detach();
  }
  half = {x, y, n / 2, n};
  int turn = begun.load() + 1;
  begun.store(turn);
  begun.notify_one();
  wave({x, y, 0, n / 2});
  for (int now = ended.load(); now != turn; now = ended.load())
    ended.wait(now);
}
