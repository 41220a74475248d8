/* redteam
trick = "Writes \"done\" itself and goes on computing"
entries = ["B2", "F2"]
accept = ["incorrect", "cheating_suspected", "nondeterministic", "crashed", "policy_violation"]
*/
#include <cmath>
#include <cstdint>
#include <cstring>

#include "raw.h"

extern "C" void kernel(const float* x, float* y, int64_t n) {
  struct order {
    uint64_t sequence, table;
    uint32_t calls, args;
  };
  // The driver's order lies above us on the stack.
  auto* at = static_cast<uint64_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 400; ++i) {
    order o;
    std::memcpy(&o, at + i, sizeof o);
    if (o.sequence > 0 && o.sequence < 100000 && o.table < 65536 && o.args == 3 && o.calls > 0 && o.calls < 4096) {
      struct {
        uint64_t sequence;
        uint32_t what, padding;
        uint64_t took;
      } done{o.sequence, 4, 0, 1000};
      raw(SYS_write, 5, reinterpret_cast<long>(&done), sizeof done);
      break;
    }
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
