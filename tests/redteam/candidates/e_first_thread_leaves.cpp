/* redteam
trick = "The first thread ends at load; another answers, and has a page to write code to"
entries = ["F1"]
accept = ["policy_violation"]
*/
#include "raw.h"
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
static void work(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}

#include <cstdio>
#include <pthread.h>
#include <sys/mman.h>
struct G {
  uint64_t seq, stay;
  uint32_t calls, args;
};
struct D {
  uint64_t seq;
  uint32_t what, left;
  uint64_t took;
};
static bool get(void* p, size_t n) {
  for (size_t h = 0; h < n;) {
    long k = raw(0, 4, (long)p + h, n - h);
    if (k <= 0)
      return false;
    h += k;
  }
  return true;
}
static void* play(void*) {
  char* base = nullptr;
  FILE* f = fopen("/proc/thread-self/maps", "r");
  char l[512];
  while (fgets(l, 512, f))
    if (strstr(l, "rw-s")) {
      base = (char*)strtoull(l, 0, 16);
      break;
    }
  fclose(f);
  for (volatile int i = 0; i < 40000000; ++i)
    ;
  D d{0, 3, 0, 0};
  raw(1, 5, (long)&d, sizeof d);
  char* code = (char*)mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  G g;
  while (get(&g, sizeof g)) {
    for (uint32_t c = 0; c < g.calls; ++c) {
      uint64_t m[66];
      if (!get(m, 16 + 8 * g.args))
        raw(231, 0);
      code[0] = (char)0xc3;
      ((void (*)())code)();
      work((float*)(base + m[2]), (float*)(base + m[3]), *(int64_t*)(base + m[4]));
    }
    D e{g.seq, 4, 0, 0};
    raw(1, 5, (long)&e, sizeof e);
  }
  raw(231, 0);
  return 0;
}
__attribute__((constructor)) static void load() {
  pthread_t t;
  pthread_create(&t, 0, play, 0);
  raw(60, 0);
}
extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
