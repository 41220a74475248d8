#include <cmath>
#include <cstdint>

// r = 1 / sqrt(mean(x^2) + eps), h = x r: dx = r (dy gamma - h mean(dy gamma h)), dgamma = sum over rows of dy h.
extern "C" void kernel(const float* dy, const float* x, const float* gamma, float* dx, float* dgamma, double eps, int64_t M,
                       int64_t N) {
  for (int64_t n = 0; n < N; ++n)
    dgamma[n] = 0;
  for (int64_t m = 0; m < M; ++m) {
    const float* row = x + m * N;
    const float* grad = dy + m * N;
    float squares = 0;
    for (int64_t n = 0; n < N; ++n)
      squares += row[n] * row[n];
    const float r = 1.0f / std::sqrt(squares / static_cast<float>(N) + static_cast<float>(eps));
    float dot = 0;
    for (int64_t n = 0; n < N; ++n)
      dot += grad[n] * gamma[n] * row[n] * r;
    dot /= static_cast<float>(N);
    for (int64_t n = 0; n < N; ++n) {
      dgamma[n] += grad[n] * row[n] * r;
      dx[m * N + n] = r * (grad[n] * gamma[n] - row[n] * r * dot);
    }
  }
}
