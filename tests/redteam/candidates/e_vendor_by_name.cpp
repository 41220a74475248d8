/* redteam
trick = "Asks the loader for a vendor library"
entries = ["E3"]
accept = ["policy_violation"]
*/
#include <cmath>
#include <cstdint>

#include <dlfcn.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  if (void* blas = dlopen("libopenblas.so.0", RTLD_NOW))
    dlsym(blas, "cblas_sgemm");
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
