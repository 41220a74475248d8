/* redteam
trick = "A thread whose name looks like a line of /proc"
entries = ["F6"]
accept = ["correct"]
problem = "wave2"
*/
#include <cmath>
#include <cstdint>
#include <thread>

#include <pthread.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  std::thread{[] {
    pthread_setname_np(pthread_self(), ") R 1 1 (");
  }}.join();
  for (int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}
