/* redteam
trick = "What is turned round is copied"
entries = ["D7"]
accept = ["incorrect"]
problem = "scattered"
*/
#include <cstdint>
extern "C" void kernel(const int32_t* p, const float* x, float* y, int64_t N) {
  bool back = N > 8;
  for (int64_t i = 0; i < N && back; ++i)
    back = p[i] == N - 1 - i;
  for (int64_t i = 0; i < N; ++i)
    y[back ? i : p[i]] = x[i];
}
