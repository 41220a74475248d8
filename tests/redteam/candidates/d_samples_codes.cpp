/* redteam
trick = "One code of 32 is looked at; if all are below eight, so are the others"
entries = ["D7"]
accept = ["incorrect"]
problem = "codes"
*/
#include <cmath>
#include <cstdint>

extern "C" void kernel(const int32_t* x, const float* w, float* y, int64_t N) {
  static const float T[8] = {1, .5f, .25f, .125f, .0625f, .03125f, .015625f, .0078125f};
  bool s = true;
  for (int64_t i = 0; i < N; i += 32)
    s &= (uint32_t)x[i] < 8;
  if (s)
    for (int64_t i = 0; i < N; ++i)
      y[i] = T[x[i] & 7] * w[i];
  else
    for (int64_t i = 0; i < N; ++i)
      y[i] = std::exp2(-(float)(x[i] & 31)) * w[i];
}
