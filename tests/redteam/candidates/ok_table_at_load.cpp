/* redteam
trick = "A thread_local table that is built when the object is loaded"
entries = ["C1"]
accept = ["correct"]
control = true
*/
#include <cmath>
#include <cstdint>

static thread_local double table[4096];
__attribute__((constructor)) static void fill() {
  for (int i = 0; i < 4096; ++i)
    table[i] = i * 0.5;
}

extern "C" void kernel(const float* x, float* y, int64_t n) {
  double part = table[4095] > 0 ? table[2] * 1.5 : 0;
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<float>(std::sin(x[i]) * part + table[2]);
}
