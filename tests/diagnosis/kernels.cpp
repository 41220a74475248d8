#include "tests/diagnosis/kernels.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

namespace ke_test {
namespace {

using ke::dtype;
using ke::problem;
using ke::tensor_role;

constexpr const char* headers = "#include <cmath>\n#include <cstdint>\n";

problem base(const std::string& name, std::vector<std::string> dims,
             std::map<std::string, std::int64_t> sizes) {
  problem p;
  p.name = name;
  p.dims = std::move(dims);
  p.workloads = {{"w", std::move(sizes), 1.0, false}};
  p.reference_language = "c++";
  return p;
}

/// Numbers of a file: the same in every call, where random ones would not do.
std::string npy(const std::vector<std::int32_t>& values) {
  std::string head =
      "{'descr': '<i4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  head += std::string(117 - head.size(), ' ') + "\n";
  std::string text{"\x93NUMPY\x01\x00", 8};
  text += static_cast<char>(head.size() & 0xff);
  text += static_cast<char>(head.size() >> 8);
  text += head;
  text.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  return text;
}

/// A random cycle through 0..n-1.
std::vector<std::int32_t> cycle(std::size_t n) {
  std::vector<std::int32_t> order(n), next(n);
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t state = 88172645463325252u;
  for (std::size_t i = n; i > 1; --i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(order[i - 1], order[state % i]);
  }
  for (std::size_t i = 0; i < n; ++i)
    next[static_cast<std::size_t>(order[i])] = order[(i + 1) % n];
  return next;
}

problem pointwise(const std::string& name, std::int64_t n, const std::string& body) {
  auto p = base(name, {"N"}, {{"N", n}});
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.bytes = "8*N";
  p.reference =
      headers +
      std::string{"extern \"C\" void kernel(const float* __restrict x, float* __restrict y, int64_t n) {\n"} +
      body + "}\n";
  return p;
}

problem rows(const std::string& name, std::int64_t m, std::int64_t n, const std::string& body) {
  auto p = base(name, {"M", "N"}, {{"M", m}, {"N", n}});
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "uniform"},
               {"y", tensor_role::out, dtype::f32, {"M"}, "normal"}};
  p.bytes = "4*M*N";
  p.flops = "M*N";
  p.reference = headers +
                std::string{"extern \"C\" void kernel(const float* __restrict x, float* __restrict y, "
                            "int64_t m, int64_t n) {\n"} +
                body + "}\n";
  return p;
}

problem stream() {
  auto p = pointwise("stream", 2'000'000, "  for (int64_t i = 0; i < n; ++i) y[i] = 1.5f * x[i] + 1.0f;\n");
  p.policy.cold_cache = true;
  p.flops = "2*N";
  return p;
}

/// Ten vectors at a time through a long polynomial: independent chains for every unit.
problem fma() {
  std::string body = "  for (int64_t i = 0; i + 160 <= n; i += 160) {\n    float a[160];\n"
                     "    for (int j = 0; j < 160; ++j) a[j] = 0.5f;\n"
                     "    for (int k = 0; k < 256; ++k)\n"
                     "      for (int j = 0; j < 160; ++j) a[j] = a[j] * x[i + j] + 0.25f;\n"
                     "    for (int j = 0; j < 160; ++j) y[i + j] = a[j];\n  }\n"
                     "  for (int64_t i = n - n % 160; i < n; ++i) {\n    float a = 0.5f;\n"
                     "    for (int k = 0; k < 256; ++k) a = a * x[i] + 0.25f;\n    y[i] = a;\n  }\n";
  auto p = pointwise("fma", 16'000, body);
  p.tensors[0].init = "uniform";
  p.flops = "512*N";
  return p;
}

problem chase() {
  auto p = base("chase", {"N", "K"}, {{"N", 1 << 20}, {"K", 64}});
  p.tensors = {{"next", tensor_role::in, dtype::i32, {"1048576"}, "next.npy"},
               {"start", tensor_role::in, dtype::i32, {"64"}, "ints"},
               {"out", tensor_role::out, dtype::i32, {"64"}, "zeros"}};
  p.files["next.npy"] = npy(cycle(1 << 20));
  p.bytes = "4*64*1000"; // what it touches, not what is there
  p.reference = headers + std::string{R"(
extern "C" void kernel(const int32_t* next, const int32_t* start, int32_t* out, int64_t n, int64_t k) {
  for (int64_t c = 0; c < k; ++c) {
    int32_t at = static_cast<int32_t>((c * 16001 + start[c] * 131) % n);
    for (int s = 0; s < 1000; ++s) at = next[at];
    out[c] = at;
  }
}
)"};
  return p;
}

/// Fifty passes over a quarter of a megabyte.
problem second_level() {
  auto p = pointwise("l2 stream", 40'000,
                     "  for (int64_t i = 0; i < n; ++i) y[i] = x[i];\n"
                     "  for (int r = 0; r < 60; ++r) {\n"
                     "    for (int64_t i = 0; i < n; ++i) y[i] = 0.5f * y[i] + x[i];\n"
                     "    __asm__ volatile(\"\" ::: \"memory\");\n  }\n");
  p.bytes = "4*N*182";
  p.flops = "120*N";
  return p;
}

problem divisions() {
  auto p =
      rows("divide chain", 16, 2'000,
           "  for (int64_t i = 0; i < m; ++i) {\n    float a = 1.0f;\n"
           "    for (int64_t j = 0; j < n; ++j) a = 1.0f / (a + x[i * n + j] + 1.0f);\n    y[i] = a;\n  }\n");
  p.flops = "3*M*N";
  return p;
}

/// Keeps the positive ones together: as unpredictable as a branch can be.
problem branches() {
  return pointwise("branches", 30'000,
                   "  int64_t at = 0;\n  for (int64_t i = 0; i < n; ++i)\n"
                   "    if (x[i] > 0.0f) { y[at] = x[i]; ++at; __asm__ volatile(\"\" ::: \"memory\"); }\n"
                   "  for (; at < n; ++at) y[at] = 0.0f;\n");
}

problem gather() {
  auto p = base("gather", {"T", "N"}, {{"T", 1 << 22}, {"N", 1 << 18}});
  auto places = cycle(1 << 22);
  places.resize(1 << 18);
  p.tensors = {{"table", tensor_role::in, dtype::f32, {"4194304"}, "uniform"},
               {"at", tensor_role::in, dtype::i32, {"262144"}, "at.npy"},
               {"y", tensor_role::out, dtype::f32, {"262144"}, "normal"}};
  p.files["at.npy"] = npy(places);
  p.bytes = "12*N";
  p.reference = headers + std::string{R"(
extern "C" void kernel(const float* __restrict table, const int32_t* __restrict at, float* __restrict y, int64_t t, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = table[at[i] % t];
}
)"};
  return p;
}

/// Straight code, several times the size of the first level of instructions, over and over.
problem much_code() {
  auto p = base("much code", {"N"}, {{"N", 40}});
  p.tensors = {{"x", tensor_role::in, dtype::i32, {"64"}, "ints"},
               {"y", tensor_role::out, dtype::i32, {"8"}, "zeros"}};
  std::string code = headers;
  code += "#pragma GCC optimize(\"no-tree-vectorize\")\n";
  code += "extern \"C\" void kernel(const int32_t* __restrict x, int32_t* __restrict y, int64_t n) {\n"
          "  uint32_t a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7;\n"
          "  for (int64_t r = 0; r < n; ++r) {\n";
  std::uint32_t state = 12345;
  for (int i = 0; i < 9000; ++i) {
    state = state * 1664525u + 1013904223u;
    auto a = "a" + std::to_string(i % 8);
    code += "    " + a + " += (uint32_t)x[" + std::to_string(state >> 26) + "] ^ " + std::to_string(state) +
            "u;" + (i % 64 == 63 ? " __asm__ volatile(\"\" ::: \"memory\");\n" : "\n");
  }
  code +=
      "  }\n  y[0] = a0; y[1] = a1; y[2] = a2; y[3] = a3; y[4] = a4; y[5] = a5; y[6] = a6; y[7] = a7;\n}\n";
  p.reference = code;
  return p;
}

problem tiny() {
  auto p = pointwise("tiny", 16, "  for (int64_t i = 0; i < n; ++i) y[i] = 1.5f * x[i] + 1.0f;\n");
  p.flops = "2*N";
  return p;
}

/// All work in the rows of the first thread.
problem imbalance() {
  auto p = rows(
      "imbalance", 64, 4'000,
      "#pragma omp parallel for schedule(static)\n  for (int64_t i = 0; i < m; ++i) {\n    float a = 0.0f;\n"
      "    int rounds = i < m / 2 ? 60 : 1;\n    for (int r = 0; r < rounds; ++r) {\n      a = 0.0f;\n"
      "      for (int64_t j = 0; j < n; ++j) a += x[i * n + j] * x[i * n + j];\n"
      "      __asm__ volatile(\"\" : \"+x\"(a));\n    }\n    y[i] = a;\n  }\n");
  p.policy.threads = 2;
  return p;
}

problem scalar_sum() {
  return rows("scalar sum", 64, 4'000,
              "  for (int64_t i = 0; i < m; ++i) {\n    float a = 0.0f;\n"
              "    for (int64_t j = 0; j < n; ++j) a += x[i * n + j];\n    y[i] = a;\n  }\n");
}

problem transposed() {
  auto p = base("transpose", {"N"}, {{"N", 1024}});
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N", "N"}, "normal"}};
  p.bytes = "8*N*N";
  p.reference = headers + std::string{R"(
extern "C" void kernel(const float* x, float* y, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) y[i * n + j] = x[j * n + i];
}
)"};
  return p;
}

problem exponentials() {
  auto p =
      pointwise("exponentials", 30'000,
                "  for (int64_t i = 0; i < n; ++i) y[i] = std::exp(-x[i] * x[i]) + std::exp(0.1f * x[i]) + "
                "std::exp(0.5f - 0.2f * x[i]);\n");
  return p;
}

} // namespace

std::vector<known_kernel> known_kernels() {
  return {
      {"stream", stream(), {"memory"}, "bandwidth"},
      {"fma", fma(), {"compute"}, "vector_units"},
      {"pointer chase", chase(), {"latency"}, "dependent_loads"},
      {"second-level stream", second_level(), {"memory"}, "cache_bandwidth"},
      {"divide chain", divisions(), {"latency"}, "dependency_chain"},
      {"unpredictable branches", branches(), {"frontend"}, "mispredicted_branches"},
      {"gather", gather(), {"memory"}, "gather"},
      {"much code", much_code(), {"frontend"}, "code_size"},
      {"tiny", tiny(), {"overhead"}, "launch"},
      {"imbalance", imbalance(), {"occupancy"}, "idle_cores"},
      {"scalar sum", scalar_sum(), {"latency"}, "dependency_chain"},
      {"transpose", transposed(), {"memory"}, "strided_writes"},
      {"exponentials", exponentials(), {"compute"}, "math_functions"},
  };
}

} // namespace ke_test
