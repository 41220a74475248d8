#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke::playbook_test {

struct example_tensor {
  std::string name, role, dtype;
  std::vector<std::string> shape;
};

using sizes = std::map<std::string, std::int64_t>;

/// A problem as a user would bring it: the reference's text and shapes to check it on.
struct example {
  std::string name, family;
  std::vector<std::string> dims;
  std::vector<example_tensor> tensors;
  std::vector<std::pair<std::string, double>> scalars; ///< doubles
  std::string source;
  sizes workload;            ///< what the prompt shows and the benchmark times
  std::vector<sizes> shapes; ///< odd, prime, one and empty ones
  double tolerance = 2e-5;   ///< relative to the largest magnitude of the output
};

const std::vector<example>& examples();
const example& example_named(const std::string& name);

inline const std::vector<example>& examples() {
  static const std::string head =
      "#include <cmath>\n#include <cstdint>\n#include <algorithm>\n#include <limits>\n";
  static const std::vector<sizes> rows = {{{"M", 1}, {"N", 1}},     {{"M", 3}, {"N", 17}},
                                          {{"M", 7}, {"N", 257}},   {{"M", 0}, {"N", 5}},
                                          {{"M", 31}, {"N", 1031}}, {{"M", 64}, {"N", 128}}};
  static const std::vector<example_tensor> map_tensors = {{"x", "in", "f32", {"M", "N"}},
                                                          {"y", "out", "f32", {"M", "N"}}};
  static const std::vector<example> list = {
      {"gelu",
       "elementwise",
       {"M", "N"},
       map_tensors,
       {},
       head + R"(
static inline float gelu(float v) {
  const float c = 0.7978845608f;
  return 0.5f * v * (1.0f + std::tanh(c * (v + 0.044715f * v * v * v)));
}
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M * N; ++i) y[i] = gelu(x[i]);
})",
       {{"M", 256}, {"N", 4096}},
       rows},
      {"erf_exp",
       "elementwise",
       {"M", "N"},
       map_tensors,
       {{"alpha", 0.5}},
       head + R"(
extern "C" void kernel(const float* __restrict__ x, float* __restrict__ y, double alpha, int64_t M, int64_t N) {
  const float a = (float)alpha;
  for (int64_t i = 0; i < M; i++)
    for (int64_t j = 0; j < N; j++) {
      const float v = x[i * N + j];
      float t = std::exp(-std::fabs(v)) + a * erff(v);
      if (v > 1.5f) t = std::log(v) * t;
      y[i * N + j] = v > 0.f ? t : t * 0.25f;
    }
})",
       {{"M", 256}, {"N", 2048}},
       rows},
      {"sum_rows",
       "reduction",
       {"M", "N"},
       {{"x", "in", "f32", {"M", "N"}}, {"y", "out", "f32", {"M"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float acc = 0.0f;
    for (int64_t j = 0; j < N; ++j) acc += x[i * N + j];
    y[i] = acc;
  }
})",
       {{"M", 512}, {"N", 4096}},
       rows,
       1e-4},
      {"sum_columns",
       "reduction",
       {"M", "N"},
       {{"x", "in", "f32", {"M", "N"}}, {"y", "out", "f32", {"N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t j = 0; j < N; ++j) {
    double acc = 0;
    for (int64_t i = 0; i < M; ++i) acc += x[i * N + j];
    y[j] = static_cast<float>(acc);
  }
})",
       {{"M", 1024}, {"N", 1024}},
       rows,
       1e-4},
      {"dot",
       "reduction",
       {"N"},
       {{"a", "in", "f32", {"N"}}, {"b", "in", "f32", {"N"}}, {"out", "out", "f32", {"1"}}},
       {},
       head + R"(
extern "C" void kernel(const float* a, const float* b, float* out, int64_t N) {
  double s = 0.0;
  for (int64_t i = 0; i < N; ++i) s += (double)a[i] * (double)b[i];
  out[0] = (float)s;
})",
       {{"N", 4000000}},
       {{{"N", 0}}, {{"N", 1}}, {{"N", 1009}}, {{"N", 70001}}},
       1e-4},
      {"softmax",
       "softmax",
       {"M", "N"},
       map_tensors,
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    const float* row = x + i * N;
    float* out = y + i * N;
    float m = -std::numeric_limits<float>::infinity();
    for (int64_t j = 0; j < N; ++j) m = std::max(m, row[j]);
    float sum = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      out[j] = std::exp(row[j] - m);
      sum += out[j];
    }
    for (int64_t j = 0; j < N; ++j) out[j] /= sum;
  }
})",
       {{"M", 512}, {"N", 4096}},
       rows},
      {"softmax_double",
       "softmax",
       {"M", "N"},
       map_tensors,
       {{"scale", 1.5}},
       head + R"(
extern "C" void kernel(const float* x, float* y, double scale, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    double peak = -1e30;
    for (int64_t j = 0; j < N; ++j)
      if (scale * x[i * N + j] > peak) peak = scale * x[i * N + j];
    double total = 0;
    for (int64_t j = 0; j < N; ++j) total += std::exp(scale * x[i * N + j] - peak);
    for (int64_t j = 0; j < N; ++j) y[i * N + j] = float(std::exp(scale * x[i * N + j] - peak) / total);
  }
})",
       {{"M", 512}, {"N", 4096}},
       rows},
      {"layernorm",
       "norm",
       {"M", "N"},
       {{"x", "in", "f32", {"M", "N"}},
        {"g", "in", "f32", {"N"}},
        {"b", "in", "f32", {"N"}},
        {"y", "out", "f32", {"M", "N"}}},
       {{"eps", 1e-5}},
       head + R"(
extern "C" void kernel(const float* x, const float* g, const float* b, float* y, double eps, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    double mean = 0.0, var = 0.0;
    for (int64_t j = 0; j < N; ++j) mean += x[i * N + j];
    mean /= N;
    for (int64_t j = 0; j < N; ++j) {
      double d = x[i * N + j] - mean;
      var += d * d;
    }
    var /= N;
    const double inv = 1.0 / std::sqrt(var + eps);
    for (int64_t j = 0; j < N; ++j) y[i * N + j] = (float)((x[i * N + j] - mean) * inv * g[j] + b[j]);
  }
})",
       {{"M", 1024}, {"N", 1024}},
       rows,
       1e-4},
      {"matmul",
       "matmul",
       {"M", "N", "K"},
       {{"A", "in", "f32", {"M", "K"}}, {"B", "in", "f32", {"K", "N"}}, {"C", "out", "f32", {"M", "N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      float acc = 0.0f;
      for (int64_t k = 0; k < K; ++k) acc += A[i * K + k] * B[k * N + j];
      C[i * N + j] = acc;
    }
})",
       {{"M", 512}, {"N", 512}, {"K", 512}},
       {{{"M", 1}, {"N", 1}, {"K", 1}},
        {{"M", 13}, {"N", 37}, {"K", 29}},
        {{"M", 5}, {"N", 0}, {"K", 3}},
        {{"M", 7}, {"N", 67}, {"K", 0}},
        {{"M", 67}, {"N", 131}, {"K", 61}}},
       1e-4},
      {"matmul_ikj",
       "matmul",
       {"M", "N", "K"},
       {{"A", "in", "f32", {"M", "K"}},
        {"B", "in", "f32", {"K", "N"}},
        {"bias", "in", "f32", {"N"}},
        {"C", "out", "f32", {"M", "N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* A, const float* B, const float* bias, float* C, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) C[i * N + j] = bias[j];
    for (int64_t k = 0; k < K; ++k) {
      const float a = A[i * K + k];
      for (int64_t j = 0; j < N; ++j) C[i * N + j] += a * B[k * N + j];
    }
  }
})",
       {{"M", 512}, {"N", 512}, {"K", 512}},
       {{{"M", 1}, {"N", 1}, {"K", 1}},
        {{"M", 13}, {"N", 37}, {"K", 29}},
        {{"M", 7}, {"N", 67}, {"K", 0}},
        {{"M", 67}, {"N", 131}, {"K", 61}}},
       1e-4},
      {"matmul_transposed",
       "matmul",
       {"M", "N", "K"},
       {{"A", "in", "f32", {"M", "K"}}, {"B", "in", "f32", {"N", "K"}}, {"C", "out", "f32", {"M", "N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      const float* a = &A[i * K];
      const float* b = &B[j * K];
      float s = 0;
      for (int64_t k = 0; k < K; ++k) s += a[k] * b[k];
      C[i * N + j] = s;
    }
})",
       {{"M", 256}, {"N", 256}, {"K", 512}},
       {{{"M", 1}, {"N", 1}, {"K", 1}},
        {{"M", 13}, {"N", 37}, {"K", 29}},
        {{"M", 7}, {"N", 67}, {"K", 0}},
        {{"M", 33}, {"N", 31}, {"K", 161}}},
       1e-4},
      {"conv1d",
       "conv",
       {"N", "C", "L", "F", "K"},
       {{"x", "in", "f32", {"N", "C", "L"}},
        {"w", "in", "f32", {"F", "C", "K"}},
        {"b", "in", "f32", {"F"}},
        {"y", "out", "f32", {"N", "F", "L-K+1"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, const float* w, const float* b, float* y, int64_t N, int64_t C, int64_t L, int64_t F, int64_t K) {
  const int64_t P = L - K + 1;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t f = 0; f < F; ++f)
      for (int64_t p = 0; p < P; ++p) {
        float acc = b[f];
        for (int64_t c = 0; c < C; ++c)
          for (int64_t k = 0; k < K; ++k) acc += x[(n * C + c) * L + p + k] * w[(f * C + c) * K + k];
        y[(n * F + f) * P + p] = acc;
      }
})",
       {{"N", 4}, {"C", 32}, {"L", 1024}, {"F", 64}, {"K", 5}},
       {{{"N", 1}, {"C", 1}, {"L", 1}, {"F", 1}, {"K", 1}},
        {{"N", 2}, {"C", 3}, {"L", 41}, {"F", 7}, {"K", 4}},
        {{"N", 0}, {"C", 3}, {"L", 11}, {"F", 2}, {"K", 3}},
        {{"N", 3}, {"C", 5}, {"L", 151}, {"F", 13}, {"K", 7}}},
       1e-4},
      {"conv2d_padded",
       "conv",
       {"C", "H", "W", "F", "K"},
       {{"x", "in", "f32", {"C", "H", "W"}},
        {"w", "in", "f32", {"F", "C", "K", "K"}},
        {"y", "out", "f32", {"F", "H", "W"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, const float* w, float* y, int64_t C, int64_t H, int64_t W, int64_t F, int64_t K) {
  int64_t pad = K / 2;
  for (int64_t f = 0; f < F; ++f)
    for (int64_t r = 0; r < H; ++r)
      for (int64_t q = 0; q < W; ++q) {
        float acc = 0;
        for (int64_t c = 0; c < C; ++c)
          for (int64_t i = 0; i < K; ++i)
            for (int64_t j = 0; j < K; ++j) {
              int64_t rr = r + i - 1, qq = q + j - 1;
              if (rr < 0 || rr >= H || qq < 0 || qq >= W) continue;
              acc += x[(c * H + rr) * W + qq] * w[((f * C + c) * K + i) * K + j];
            }
        y[(f * H + r) * W + q] = acc;
      }
})",
       {{"C", 16}, {"H", 64}, {"W", 64}, {"F", 32}, {"K", 3}},
       {{{"C", 1}, {"H", 1}, {"W", 1}, {"F", 1}, {"K", 1}},
        {{"C", 3}, {"H", 7}, {"W", 37}, {"F", 5}, {"K", 3}},
        {{"C", 2}, {"H", 5}, {"W", 2}, {"F", 3}, {"K", 3}},
        {{"C", 2}, {"H", 9}, {"W", 83}, {"F", 9}, {"K", 2}}},
       1e-4},
      {"scan_rows",
       "scan",
       {"M", "N"},
       map_tensors,
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float run = 0.0f;
    for (int64_t j = 0; j < N; ++j) {
      run += x[i * N + j];
      y[i * N + j] = run;
    }
  }
})",
       {{"M", 256}, {"N", 4096}},
       rows,
       1e-4},
      {"scan_exclusive",
       "scan",
       {"N"},
       {{"x", "in", "f32", {"N"}}, {"y", "out", "f32", {"N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t N) {
  double run = 0;
  for (int64_t i = 0; i < N; ++i) {
    y[i] = (float)run;
    run += x[i];
  }
})",
       {{"N", 2000000}},
       {{{"N", 0}}, {{"N", 1}}, {{"N", 1013}}, {{"N", 30011}}},
       1e-4},
      {"transpose",
       "transpose",
       {"M", "N"},
       {{"x", "in", "f32", {"M", "N"}}, {"y", "out", "f32", {"N", "M"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) y[j * M + i] = x[i * N + j];
})",
       {{"M", 2048}, {"N", 2048}},
       rows},
      {"stencil2d",
       "stencil",
       {"M", "N"},
       map_tensors,
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      if (i == 0 || j == 0 || i == M - 1 || j == N - 1) {
        y[i * N + j] = x[i * N + j];
      } else {
        y[i * N + j] = 0.5f * x[i * N + j] + 0.125f * (x[(i - 1) * N + j] + x[(i + 1) * N + j] + x[i * N + j - 1] + x[i * N + j + 1]);
      }
    }
})",
       {{"M", 1024}, {"N", 1024}},
       rows},
      {"stencil1d",
       "stencil",
       {"N"},
       {{"x", "in", "f32", {"N"}}, {"y", "out", "f32", {"N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, float* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i) {
    const float left = i > 0 ? x[i - 1] : 0.0f;
    const float right = i + 1 < N ? x[i + 1] : 0.0f;
    y[i] = 0.25f * left + 0.5f * x[i] + 0.25f * right;
  }
})",
       {{"N", 4000000}},
       {{{"N", 0}}, {{"N", 1}}, {{"N", 2}}, {{"N", 1013}}, {{"N", 30011}}}},
      {"attention",
       "attention",
       {"T", "D"},
       {{"q", "in", "f32", {"T", "D"}},
        {"k", "in", "f32", {"T", "D"}},
        {"v", "in", "f32", {"T", "D"}},
        {"y", "out", "f32", {"T", "D"}}},
       {},
       head + R"(#include <vector>
extern "C" void kernel(const float* q, const float* k, const float* v, float* y, int64_t T, int64_t D) {
  for (int64_t i = 0; i < T; ++i) {
    std::vector<float> s(T);
    float m = -1e30f;
    for (int64_t j = 0; j < T; ++j) {
      float dot = 0;
      for (int64_t d = 0; d < D; ++d) dot += q[i * D + d] * k[j * D + d];
      s[j] = dot / std::sqrt((float)D);
      m = std::max(m, s[j]);
    }
    float sum = 0;
    for (int64_t j = 0; j < T; ++j) { s[j] = std::exp(s[j] - m); sum += s[j]; }
    for (int64_t d = 0; d < D; ++d) {
      float acc = 0;
      for (int64_t j = 0; j < T; ++j) acc += s[j] * v[j * D + d];
      y[i * D + d] = acc / sum;
    }
  }
})",
       {{"T", 256}, {"D", 64}},
       {{{"T", 1}, {"D", 1}}, {{"T", 17}, {"D", 13}}, {{"T", 0}, {"D", 4}}, {{"T", 65}, {"D", 33}}},
       1e-4},
      {"norm_bf16",
       "norm",
       {"M", "N"},
       {{"x", "in", "bf16", {"M", "N"}}, {"y", "out", "bf16", {"M", "N"}}},
       {},
       "#include \"ke.h\"\n" + head + R"(
extern "C" void kernel(const uint16_t* x, uint16_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < N; ++j) sum += ke_bf16_to_float(x[i * N + j]) * ke_bf16_to_float(x[i * N + j]);
    const float inv = 1.0f / std::sqrt(sum / static_cast<float>(N) + 1e-5f);
    for (int64_t j = 0; j < N; ++j) y[i * N + j] = ke_float_to_bf16(ke_bf16_to_float(x[i * N + j]) * inv);
  }
})",
       {{"M", 512}, {"N", 2048}},
       rows,
       1e-2},
      {"swish_f16",
       "elementwise",
       {"M", "N"},
       {{"x", "in", "f16", {"M", "N"}}, {"y", "out", "f16", {"M", "N"}}},
       {},
       head + R"(
extern "C" void kernel(const _Float16* x, _Float16* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M * N; ++i) {
    const float v = static_cast<float>(x[i]);
    y[i] = static_cast<_Float16>(v / (1.0f + std::exp(-v)));
  }
})",
       {{"M", 256}, {"N", 4096}},
       rows,
       2e-3},
      {"matmul_bf16",
       "matmul",
       {"M", "N", "K"},
       {{"A", "in", "bf16", {"M", "K"}}, {"B", "in", "bf16", {"K", "N"}}, {"C", "out", "bf16", {"M", "N"}}},
       {},
       "#include \"ke.h\"\n" + head + R"(
extern "C" void kernel(const uint16_t* A, const uint16_t* B, uint16_t* C, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      float acc = 0;
      for (int64_t k = 0; k < K; ++k) {
        const float a = ke_bf16_to_float(A[i * K + k]);
        const float b = ke_bf16_to_float(B[k * N + j]);
        acc += a * b;
      }
      C[i * N + j] = ke_float_to_bf16(acc);
    }
})",
       {{"M", 256}, {"N", 256}, {"K", 256}},
       {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 13}, {"N", 37}, {"K", 29}}, {{"M", 7}, {"N", 67}, {"K", 0}}},
       2e-2},
      {"matmul_f8",
       "matmul",
       {"M", "N", "K"},
       {{"A", "in", "f8e4m3", {"M", "K"}},
        {"B", "in", "f8e5m2", {"K", "N"}},
        {"C", "out", "bf16", {"M", "N"}}},
       {},
       "#include \"ke.h\"\n" + head + R"(
extern "C" void kernel(const uint8_t* A, const uint8_t* B, uint16_t* C, int64_t M, int64_t N, int64_t K) {
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      float acc = 0;
      for (int64_t k = 0; k < K; ++k) acc += ke_f8e4m3_to_float(A[i * K + k]) * ke_f8e5m2_to_float(B[k * N + j]);
      C[i * N + j] = ke_float_to_bf16(acc);
    }
})",
       {{"M", 256}, {"N", 256}, {"K", 256}},
       {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 13}, {"N", 37}, {"K", 29}}, {{"M", 7}, {"N", 67}, {"K", 0}}},
       2e-2},
      {"quantise_f8",
       "elementwise",
       {"M", "N"},
       {{"x", "in", "f32", {"M", "N"}}, {"y", "out", "f8e4m3", {"M", "N"}}},
       {},
       "#include \"ke.h\"\n" + head + R"(
extern "C" void kernel(const float* x, uint8_t* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M * N; ++i) y[i] = ke_float_to_f8e4m3(x[i] * 12.5f);
})",
       {{"M", 256}, {"N", 4096}},
       rows,
       1e-3},
      {"two_passes",
       "elementwise",
       {"M", "N"},
       {{"x", "in", "f32", {"M", "N"}}, {"b", "in", "f32", {"M", "N"}}, {"y", "out", "f32", {"M", "N"}}},
       {},
       head + R"(
extern "C" void kernel(const float* x, const float* b, float* y, int64_t M, int64_t N) {
  for (int64_t i = 0; i < M * N; ++i) y[i] = x[i] * 0.5f;
  for (int64_t i = 0; i < M * N; ++i) y[i] = y[i] + b[i] * x[i];
})",
       {{"M", 512}, {"N", 4096}},
       rows},
      {"integers",
       "elementwise",
       {"N"},
       {{"x", "in", "i32", {"N"}}, {"y", "out", "i32", {"N"}}},
       {},
       head + R"(
extern "C" void kernel(const int32_t* x, int32_t* y, int64_t N) {
  for (int64_t i = 0; i < N; ++i) y[i] = x[i] > 3 ? x[i] * 5 - 1 : -x[i];
})",
       {{"N", 1000000}},
       {{{"N", 0}}, {{"N", 1}}, {{"N", 1013}}},
       0},
  };
  return list;
}

inline const example& example_named(const std::string& name) {
  for (const auto& e : examples())
    if (e.name == name)
      return e;
  return examples().front();
}

} // namespace ke::playbook_test
