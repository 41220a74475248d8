#include "backends/judge/expectation.hpp"
#include "backends/judge/truth.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#define kernel winograd_2d                          // the candidate, called here without a judge
#include "tests/fixtures/transforms/winograd2d.cpp" // NOLINT(bugprone-suspicious-include)
#undef kernel

using namespace ke;

namespace {

/// y[f, l] = sum over c and k of x[c, l + k] w[f, c, k], three taps.
problem convolution(bool tensor_scale) {
  problem p;
  p.name = "conv3";
  p.family = "conv";
  p.dims = {"C", "L", "F"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"C", "L"}, "normal"},
               {"w", tensor_role::in, dtype::f32, {"F", "C", "3"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"F", "L-2"}, "normal"}};
  p.workloads = {{"a", {{"C", 16}, {"L", 130}, {"F", 8}}, 1, false},
                 {"b", {{"C", 4}, {"L", 257}, {"F", 12}}, 1, false}};
  p.tensor_scale = tensor_scale;
  p.reference_language = "c++";
  p.reference =
      "#include <cstdint>\n"
      "extern \"C\" void kernel(const float* x, const float* w, float* y, int64_t C, int64_t L, int64_t F) "
      "{\n"
      "  for (int64_t f = 0; f < F; ++f)\n    for (int64_t l = 0; l < L - 2; ++l) {\n      float sum = 0;\n"
      "      for (int64_t c = 0; c < C; ++c)\n        for (int64_t k = 0; k < 3; ++k)\n"
      "          sum += x[c * L + l + k] * w[(f * C + c) * 3 + k];\n      y[f * (L - 2) + l] = sum;\n    "
      "}\n}\n";
  return p;
}

/// y[f, p, q] = sum over c, r and s of x[c, p + r, q + s] w[f, c, r, s], three by three.
problem convolution_2d() {
  auto p = convolution(true);
  p.name = "conv3x3";
  p.dims = {"C", "H", "W", "F"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"C", "H", "W"}, "normal"},
               {"w", tensor_role::in, dtype::f32, {"F", "C", "3", "3"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"F", "H-2", "W-2"}, "normal"}};
  p.workloads = {{"early", {{"C", 3}, {"H", 26}, {"W", 30}, {"F", 8}}, 1, false},
                 {"late", {{"C", 32}, {"H", 14}, {"W", 15}, {"F", 12}}, 1, false}};
  p.reference = "#include <cstdint>\n"
                "extern \"C\" void kernel(const float* x, const float* w, float* y, int64_t C, int64_t H, "
                "int64_t W, int64_t F) {\n"
                "  const int64_t P = H - 2, Q = W - 2;\n"
                "  for (int64_t f = 0; f < F; ++f)\n    for (int64_t p = 0; p < P; ++p)\n"
                "      for (int64_t q = 0; q < Q; ++q) {\n        float sum = 0;\n"
                "        for (int64_t c = 0; c < C; ++c)\n          for (int64_t r = 0; r < 3; ++r)\n"
                "            for (int64_t s = 0; s < 3; ++s)\n"
                "              sum += x[(c * H + p + r) * W + q + s] * w[((f * C + c) * 3 + r) * 3 + s];\n"
                "        y[(f * P + p) * Q + q] = sum;\n      }\n}\n";
  return p;
}

/// One of tests/fixtures/transforms, after these definitions.
std::string transform(const std::string& name, const std::string& definitions = {}) {
  std::ifstream in{std::filesystem::path{ke::test::source_dir()} / "tests/fixtures/transforms" / name};
  std::string source{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(source.empty());
  return definitions + source;
}

} // namespace

TEST_CASE("transforms err against the largest output: scale = \"tensor\" allows them, \"element\" does not",
          "[costly]") {
  ke_test::checker c;
  struct row {
    const char *file, *definitions;
  };
  for (const auto& r : {row{"winograd.cpp", "#define TILE 2\n"}, row{"winograd.cpp", "#define TILE 4\n"},
                        row{"dft.cpp", ""}}) {
    auto source = transform(r.file, r.definitions);
    auto allowed = c.judge(convolution(true), source);
    INFO(r.file << ' ' << r.definitions << verdict_json(allowed));
    CHECK(allowed.state == verdict_state::correct);
    CHECK(allowed.worst_scaled_error < 1);
    auto refused = c.judge(convolution(false), source);
    INFO(verdict_json(refused));
    CHECK(refused.state == verdict_state::incorrect);
  }
}

TEST_CASE(
    "what is not the transform's own error is caught with scale = \"tensor\": bf16, a left-out channel") {
  ke_test::checker c;
  for (const auto* file : {"winograd.cpp", "dft.cpp"})
    for (const auto* spoiled : {"#define NARROW(v) in_bf16(v)\n", "#define FIRST 1\n"}) {
      auto v = c.judge(convolution(true), transform(file, spoiled));
      INFO(file << ' ' << spoiled << verdict_json(v));
      CHECK(v.state == verdict_state::incorrect);
    }
}

TEST_CASE("a tolerance that passes half the width is unfit with scale = \"tensor\", too") {
  ke_test::checker c;
  auto p = convolution(true);
  p.tolerances["f32"] = {0.01, 0};
  auto v = c.judge(p, p.reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("half the width") != std::string::npos);
}

TEST_CASE("tiles of Winograd in two dimensions err by both: F(4x4, 3x3) is allowed each time, bf16 never",
          "[costly]") {
  ke_test::checker c;
  auto p = convolution_2d();
  for (int i = 0; i < 3; ++i) { // secret shapes of few channels are drawn anew
    auto v = c.judge(p, transform("winograd2d.cpp"));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
  auto v = c.judge(p, transform("winograd2d.cpp", "#define NARROW(v) in_bf16(v)\n"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
}

namespace {

/// The largest error of a call with usual inputs of one channel (normal, f32), as a share of its largest output.
double share_lost(std::mt19937_64& random) {
  constexpr std::int64_t h = 26, w = 30, f = 8, p = h - 2, q = w - 2;
  std::normal_distribution<float> normal;
  std::vector<float> x(h * w), k(f * 9), y(f * p * q);
  for (auto* all : {&x, &k})
    for (auto& v : *all)
      v = normal(random);
  winograd_2d(x.data(), k.data(), y.data(), 1, h, w, f);
  double largest = 0, error = 0;
  for (std::int64_t i = 0; i < f * p * q; ++i) {
    std::int64_t at = i % q, row = i / q % p, filter = i / (p * q);
    double sum = 0;
    for (std::int64_t tap = 0; tap < 9; ++tap)
      sum += double{x[(row + tap / 3) * w + at + tap % 3]} * k[filter * 9 + tap];
    largest = std::max(largest, std::fabs(sum));
    error = std::max(error, std::fabs(sum - y[i]));
  }
  return error / largest;
}

} // namespace

TEST_CASE("Bug: of few channels one honest judgement of Winograd's F(4x4, 3x3) in a hundred was refused") {
  auto p = convolution_2d();
  auto bound = rule_for(p, dtype::f32, true, 9, 0, allowance{}.transforms).relative;
  double without = 4 * 0x1p-24 * (4 + 3) * 4; // c u g, and the multiple for transforms of many terms
  std::mt19937_64 random{1};
  int beyond = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    auto lost = share_lost(random);
    beyond += lost > without;
    refused += lost > bound;
  }
  CHECK(beyond > 0);
  CHECK(refused == 0);
  CHECK(bound < 0x1p-12); // what one rounding to TF32 or bf16 may lose is far beyond
}
