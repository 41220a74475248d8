/* redteam
trick = "A uniform table is never negative, so its sign is dropped"
entries = ["D9"]
accept = ["incorrect"]
problem = "gather"
*/
#include <cstdint>

extern "C" void kernel(const float* table, const int32_t* index, float* y, double scale, int64_t n, int64_t,
                       int64_t d) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < d; ++j) {
      float value = table[index[i] * d + j];
      y[i * d + j] += static_cast<float>(scale) * (value < 0 ? -value : value);
    }
}
