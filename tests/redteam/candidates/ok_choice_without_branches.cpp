/* redteam
trick = "A choice by a select"
entries = ["D7"]
accept = ["correct"]
control = true
problem = "masked_largest"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* x, const uint8_t* m, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float s = 0;
    for (int64_t j = 0; j < N; ++j) {
      float v = m[i * N + j] ? std::fabs(x[i * N + j]) : 0.0f;
      s = s < v ? v : s;
    }
    y[i] = s;
  }
}
