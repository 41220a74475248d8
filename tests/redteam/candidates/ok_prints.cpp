/* redteam
trick = "A line on stdout and stderr in every call"
entries = ["F2"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>
#include <cstdio>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  std::printf("n = %lld\n", static_cast<long long>(n));
  std::fprintf(stderr, "kernel called\n");
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
