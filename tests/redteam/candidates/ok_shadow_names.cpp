/* redteam
trick = "Functions of its own whose names a text pattern dislikes"
entries = ["F11"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>

namespace mine {
static float fork(float v) { return v * 1.5f; }
static float kill(float v) { return v + 1.0f; }
} // namespace mine

extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = mine::kill(mine::fork(std::sin(x[i])));
}
