/* redteam
trick = "Throws std::bad_alloc without having taken anything"
entries = ["F8"]
accept = ["resource_exceeded", "crashed"]
*/
#include <cmath>
#include <cstdint>
#include <new>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  throw std::bad_alloc{};
}
