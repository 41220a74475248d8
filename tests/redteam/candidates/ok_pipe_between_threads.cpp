/* redteam
trick = "Two threads tell each other by pipes of their own where to work, and look whether anything is there"
entries = ["F2"]
accept = ["correct"]
control = true
problem = "wave2"
*/
#include <cmath>
#include <cstdint>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

struct work {
  const float* x;
  float* y;
  std::int64_t from, to;
};
static int there[2], back[2];

static void wave(const work& w) {
  for (std::int64_t i = w.from; i < w.to; ++i)
    w.y[i] = std::sin(w.x[i]) * 1.5f + 1.0f;
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool started = false;
  if (!started) {
    if (pipe(there) != 0 || pipe(back) != 0)
      return;
    started = true;
    std::thread{[] {
      for (work w; read(there[0], &w, sizeof w) == sizeof w;) {
        wave(w);
        if (write(back[1], "d", 1) != 1)
          break;
      }
    }}.detach();
  }
  int waiting = 0;
  work half{x, y, n / 2, n};
  if (ioctl(there[0], FIONREAD, &waiting) != 0 || waiting != 0 || write(there[1], &half, sizeof half) != sizeof half)
    return;
  wave({x, y, 0, n / 2});
  char done;
  if (read(back[0], &done, 1) != 1)
    y[0] = 0;
}
