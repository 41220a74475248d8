/* redteam
trick = "Fills System V segments, which outlive their process"
entries = ["F8", "F7"]
accept = ["policy_violation", "resource_exceeded", "incorrect", "crashed", "correct"]
says_nothing_of = ["got segment"]
answers = "call"
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int segment = 0; segment < 16; ++segment) {
    long id = raw(SYS_shmget, 0, 8 << 20, 01666);
    long at = id >= 0 ? raw(SYS_shmat, id, 0, 0) : -1;
    if (at > 0) {
      for (int i = 0; i < 8 << 20; i += 4096)
        reinterpret_cast<volatile char*>(at)[i] = 1;
      raw(SYS_shmdt, at);
      std::printf("got segment %d\n", segment);
    }
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
