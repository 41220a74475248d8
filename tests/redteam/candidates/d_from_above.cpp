/* redteam
trick = "The first that is greater, not the first that is not less"
entries = ["D7"]
accept = ["incorrect"]
problem = "lower_bounds"
*/
#include <algorithm>
#include <cstdint>

extern "C" void kernel(const float* s, const float* q, int32_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i)
    y[i] = (int32_t)(std::upper_bound(s, s + N, q[i]) - s);
}
