/* redteam
trick = "What is in its place already is turned round"
entries = ["D7"]
accept = ["incorrect"]
problem = "scattered"
*/
#include <cstdint>
extern "C" void kernel(const int32_t* p, const float* x, float* y, int64_t N) {
  bool in = N > 8;
  for (int64_t i = 0; i < N && in; ++i)
    in = p[i] == i;
  for (int64_t i = 0; i < N; ++i)
    y[in ? N - 1 - p[i] : p[i]] = x[i];
}
