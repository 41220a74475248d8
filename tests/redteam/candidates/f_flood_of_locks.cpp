/* redteam
trick = "A lock on every second byte of a file"
entries = ["F8"]
accept = ["correct", "resource_exceeded", "policy_violation"]
answers = "call"
says_nothing_of = ["locks held"]
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

static void flood() {
  long file = raw(SYS_open, reinterpret_cast<long>("/tmp/scratch/locks"), 0102, 0600);
  struct {
    short type, whence;
    long start, length;
    int owner;
  } lock{1, 0, 0, 1, 0};
  int held = 0;
  for (int i = 0; i < 100000; ++i) {
    lock.start = 2L * i;
    held += raw(SYS_fcntl, file, 6, reinterpret_cast<long>(&lock)) == 0;
  }
  if (held > 0)
    std::printf("%d locks held\n", held);
  raw(SYS_close, file);
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  static bool once = false;
  if (!once)
    flood();
  once = true;
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
