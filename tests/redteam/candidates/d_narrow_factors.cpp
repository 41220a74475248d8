/* redteam
trick = "A product with factors of ten bits, as TF32 has them"
entries = ["D1"]
accept = ["incorrect"]
problem = "product"
*/
#include <cmath>
#include <cstdint>
#include <cstring>

static float cut(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  bits &= 0xffffe000u;
  std::memcpy(&v, &bits, 4);
  return v;
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += cut(a[i * k + l]) * cut(b[l * n + j]);
      c[i * n + j] = sum;
    }
}
