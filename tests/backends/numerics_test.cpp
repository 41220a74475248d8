#include "backends/judge/edges.hpp"
#include "backends/judge/expectation.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/shapes.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"
#include "tests/backends/problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace ke;

namespace {

const double inf = std::numeric_limits<double>::infinity(), nan_ = std::nan("");

/// The expectation at an edge, of f32 with a truth in f64.
expectation at_edge(edge_kind kind, const std::vector<double>& truth, const std::vector<float>& reference,
                    std::string touched = {}) {
  problem p;
  return expect_edge(dtype::f32, truth.data(), true, reference.data(), truth.size(),
                     rule_for(p, dtype::f32, true), {kind, std::move(touched)});
}

std::size_t failures(const expectation& e, std::vector<float> got) {
  return check(e, got.data()).failed;
}

} // namespace

TEST_CASE("the tolerance grows with the type's roundoff and the length of the sums") {
  problem p;
  CHECK(rule_for(p, dtype::f32, true, 1).relative == Approx(16 * 0x1p-24));
  CHECK(rule_for(p, dtype::f32, true, 4096).relative == Approx(4 * 68 * 0x1p-24));
  CHECK(rule_for(p, dtype::f64, true, 100).relative == Approx(4 * 14 * 0x1p-53));
  // Sixteen bits are rounded once: the length of a sum in 32 bits hardly shows.
  CHECK(rule_for(p, dtype::bf16, true, 4096).relative == Approx(4 * 0x1p-8).epsilon(0.01));
  CHECK(rule_for(p, dtype::f16, true, 4096).relative == Approx(4 * 0x1p-11).epsilon(0.01));
  CHECK(rule_for(p, dtype::f16, true, 4096).relative < rule_for(p, dtype::bf16, true, 1).relative);
  CHECK(rule_for(p, dtype::i8, true, 4096).exact);
  // Equal terms round the same way: at most 3/8 of their number times u, in order.
  CHECK(rule_for(p, dtype::f32, true, 4096, 4096).relative == Approx((16 + 2 * 64 + 2048) * 0x1p-24));
  CHECK(rule_for(p, dtype::f32, true, 4096, 1024).relative == Approx((16 + 2 * 64 + 512) * 0x1p-24));
  CHECK(rule_for(p, dtype::f32, true, 9, 9).relative == rule_for(p, dtype::f32, true, 9).relative);
}

TEST_CASE(
    "whole numbers are compared in 64 bits, with a tolerance of their own where the problem gives one") {
  problem p;
  constexpr std::int64_t large = (std::int64_t{1} << 60) + 1; // a double cannot tell it from its neighbours
  std::vector<std::int64_t> want{large, 5}, near{large - 1, 5};
  auto e = expect(dtype::i64, want.data(), false, 2, rule_for(p, dtype::i64, false));
  CHECK(check(e, want.data()).failed == 0);
  CHECK(check(e, near.data()).failed == 1);
  p.tolerances["i64"] = {0, 1};
  e = expect(dtype::i64, want.data(), false, 2, rule_for(p, dtype::i64, false));
  CHECK(check(e, near.data()).failed == 0);
  near[0] = large - 2;
  CHECK(check(e, near.data()).failed == 1);
  CHECK(check(e, near.data()).bound == 1);
  p.tolerances["u8"] = {0.1, 0};
  std::vector<std::uint8_t> bytes{200, 250}, far{180, 224};
  auto b = expect(dtype::u8, bytes.data(), false, 2, rule_for(p, dtype::u8, false));
  CHECK(check(b, far.data()).failed == 1);
  CHECK(check(b, far.data()).first == 1);
}

TEST_CASE("with scale = \"tensor\" every element has the bound of the largest finite one") {
  problem p;
  p.tensor_scale = true;
  std::vector<double> truth{1, 1e-6, inf, -1024};
  auto rule = rule_for(p, dtype::f32, true);
  auto e = expect(dtype::f32, truth.data(), true, 4, rule);
  float bound = static_cast<float>(1024 * 16 * 0x1p-24), i = std::numeric_limits<float>::infinity();
  CHECK(failures(e, {1 + 0.9f * bound, 0.9f * bound, i, -1024}) == 0);
  CHECK(failures(e, {1 + 1.1f * bound, -1.1f * bound, i, -1024}) == 2);
  p.tolerances["f32"] = {1e-3, 0};
  e = expect(dtype::f32, truth.data(), true, 4, rule_for(p, dtype::f32, true));
  CHECK(failures(e, {2, 1, i, -1023}) == 0);
  CHECK(failures(e, {3, 1, 5, -1023}) == 2);
  p.tolerances
      .clear(); // a transform may err further than a sum, by as much as the judge says, and more of few terms
  for (auto [terms, more] : {std::pair{9.0, 1 + 24 / 9.0}, {1.0, 1 + 24 / 9.0}, {2400.0, 1.01}})
    CHECK(rule_for(p, dtype::f32, true, terms, 0, 4).relative ==
          Approx(4 * more * rule_for(p, dtype::f32, true, terms).relative));
  p.tensor_scale = false;
  CHECK(rule_for(p, dtype::f32, true, 9, 0, 4).relative == rule_for(p, dtype::f32, true, 9).relative);
  p.bitwise = true; // wins
  CHECK(rule_for(p, dtype::f32, true).exact);
}

TEST_CASE("bitwise means every bit, but any NaN is a NaN") {
  problem p;
  p.bitwise = true;
  float quiet = std::nanf(""), other = -std::nanf("7");
  std::vector<float> want{quiet, 0.0f, 1.0f};
  auto e = expect(dtype::f32, want.data(), false, 3, rule_for(p, dtype::f32, false));
  CHECK(failures(e, {other, 0.0f, 1.0f}) == 0);
  CHECK(failures(e, {1.0f, 0.0f, 1.0f}) == 1);
  CHECK(failures(e, {quiet, -0.0f, 1.0f}) == 1);
  CHECK(failures(e, {quiet, 0.0f, std::nextafter(1.0f, 2.0f)}) == 1);
}

TEST_CASE("a NaN must come through where the reference lets every element that depends on it be one") {
  float n = std::nanf("");
  auto sum = at_edge(edge_kind::nan, {nan_, 2, 3}, {n, 2, 3}, std::string("\1\0\0", 3));
  CHECK(failures(sum, {n, 2, 3}) == 0);
  CHECK(failures(sum, {1, 2, 3}) == 1);
  CHECK(failures(sum, {n, n, 3}) == 1); // it spread to an element that does not depend on it
  // A maximum that keeps a NaN in one place and drops it in another: then candidates may do either.
  auto most = at_edge(edge_kind::nan, {nan_, 2, 3}, {n, 2, 3}, std::string("\1\1\0", 3));
  CHECK(failures(most, {n, n, 3}) == 0);
  CHECK(failures(most, {1, 2, 3}) == 0);
  CHECK(failures(most, {1, 2, n}) == 1);
}

TEST_CASE("at an infinity the reference's own NaN binds nobody, an infinity and a number do") {
  float n = std::nanf(""), i = std::numeric_limits<float>::infinity();
  auto e = at_edge(edge_kind::infinity, {nan_, inf, -inf, 4}, {n, i, -i, 4});
  CHECK(failures(e, {n, i, -i, 4}) == 0);
  CHECK(failures(e, {7, i, -i, 4}) == 0);
  CHECK(failures(e, {n, n, -i, 4}) == 1);
  CHECK(failures(e, {n, i, i, 4}) == 1);
  CHECK(failures(e, {n, i, -i, n}) == 1);
}

TEST_CASE("where the reference overflows on the way and the truth does not, an element is exempt") {
  float i = std::numeric_limits<float>::infinity(), n = std::nanf("");
  auto e = at_edge(edge_kind::huge, {1e30, 0.5, 1e60, 2}, {i, 0.9f, i, 2});
  CHECK(failures(e, {5, 5, i, 2}) == 0);
  CHECK(failures(e, {n, n, i, 2}) == 0);
  CHECK(failures(e, {5, 5, 1e38f, 2}) == 1); // both overflow: so must the candidate
  CHECK(failures(e, {5, 5, i, 2.1f}) == 1);
  CHECK(exempt_elements(e) == 2);
}

TEST_CASE("a result below the smallest normal number may be flushed, a zero's sign does not count") {
  auto e = at_edge(edge_kind::subnormal, {1e-40, -0.0}, {1e-40f, -0.0f});
  CHECK(failures(e, {0, 0}) == 0);
  CHECK(failures(e, {1e-30f, 0}) == 1);
}

TEST_CASE("Bug: sums by a device's atomics, which take each subnormal term for a zero, were called wrong") {
  problem p;
  double terms = 4096;
  std::vector<double> truth{terms * 0x1p-127, -3 * 0x1p-126};
  std::vector<float> said{static_cast<float>(truth[0]), static_cast<float>(truth[1])};
  auto allowed = [&](double flushed) {
    return expect_edge(dtype::f32, truth.data(), true, said.data(), 2, rule_for(p, dtype::f32, true, terms),
                       {edge_kind::subnormal, "", 32, 0, flushed});
  };
  CHECK(failures(allowed(0), {0, 0}) == 2); // a host loses nothing of them
  auto e = allowed(terms * 0x1p-126);
  CHECK(failures(e, {0, 0}) == 0);
  CHECK(failures(e, {0x1p-110f, 0}) == 1);
}

TEST_CASE("integers are not asked for what a float cannot be turned into") {
  problem p;
  std::vector<std::int32_t> said{1, 2};
  auto e = expect_edge(dtype::i32, said.data(), false, said.data(), 2, rule_for(p, dtype::i32, false),
                       {edge_kind::nan, ""});
  std::vector<std::int32_t> got{3, 4};
  CHECK(check(e, got.data()).failed == 0);
  e = expect_edge(dtype::i32, said.data(), false, said.data(), 2, rule_for(p, dtype::i32, false),
                  {edge_kind::tail, ""});
  CHECK(check(e, got.data()).failed == 2);
}

TEST_CASE("bent inputs are what their name says, in every floating type") {
  random_source random{8};
  for (auto d : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::f8e4m3, dtype::f8e5m2}) {
    INFO(to_text(d));
    problem p;
    auto fresh = draw_tensor(p, {"x", tensor_role::in, d, {}, "normal"}, 640, 64, distribution::init, random);
    REQUIRE(fresh);
    auto bent = [&](edge_kind k) {
      auto bytes = *fresh;
      bend(k, d, bytes, 64, special_places(640, random), random);
      std::vector<double> values;
      for (std::size_t i = 0; i < 640; ++i)
        values.push_back(element(d, bytes.data(), i));
      return values;
    };
    auto count = [](const std::vector<double>& v, auto is) { return std::count_if(v.begin(), v.end(), is); };
    auto is_nan = [](double x) { return std::isnan(x); };
    auto is_inf = [&](double x) { return d == dtype::f8e4m3 ? std::fabs(x) == 448 : std::isinf(x); };
    CHECK(count(bent(edge_kind::nan), is_nan) >= 2);
    CHECK(std::isnan(bent(edge_kind::nan).front()));
    CHECK(std::isnan(bent(edge_kind::nan).back()));
    CHECK(count(bent(edge_kind::infinity), is_inf) >= 2);
    CHECK(count(bent(edge_kind::masked), is_inf) >= 2);
    CHECK(count(bent(edge_kind::masked), [](double x) { return x > 1e300; }) == 0);
    CHECK(count(bent(edge_kind::signed_zero), [](double x) { return x == 0 && std::signbit(x); }) > 30);
    CHECK(count(bent(edge_kind::signed_zero), [](double x) { return x == 0 && !std::signbit(x); }) > 30);
    double smallest = d == dtype::f64                         ? 0x1p-1022
                      : d == dtype::f8e4m3                    ? 0x1p-6
                      : d == dtype::f16 || d == dtype::f8e5m2 ? 0x1p-14
                                                              : 0x1p-126;
    // Of eight bits few are subnormal, and rounding makes zeros.
    CHECK(count(bent(edge_kind::subnormal), [&](double x) { return x != 0 && std::fabs(x) < smallest; }) >
          (is_float8(d) ? 400 : 500));
    for (auto k : {edge_kind::wide, edge_kind::huge, edge_kind::one_huge, edge_kind::tail, edge_kind::steps,
                   edge_kind::offset})
      CHECK(count(bent(k), [](double x) { return !std::isfinite(x); }) == 0);
    // An argmax that took the last of equal ones, and halves rounded away from zero, were never seen.
    CHECK(count(bent(edge_kind::steps), [](double x) { return 64 * x == std::nearbyint(64 * x); }) == 640);
    CHECK(count(bent(edge_kind::steps), [](double x) { return std::fabs(x) == 0.5; }) > 20);
    // Nor was a variance as the mean of squares less the square of the mean.
    CHECK(count(bent(edge_kind::offset), [&](double x) { return x > (is_float8(d) ? 0.25 : 2); }) == 640);
    // A softmax without its maximum survives a single huge value below zero.
    auto huge = bent(edge_kind::one_huge);
    CHECK(*std::max_element(huge.begin(), huge.end()) > 4);
  }
}

TEST_CASE(
    "fast math gives up NaN, infinities, subnormals and the zero's sign, and index-like data is never bent") {
  auto p = ke_test::elementwise();
  CHECK(edges_of(p).size() == 11);
  p.tensor_scale = true; // a transform spreads what is not finite, and overflows on its way
  CHECK(edges_of(p) == std::vector<edge_kind>{edge_kind::wide, edge_kind::tail, edge_kind::steps,
                                              edge_kind::offset, edge_kind::subnormal,
                                              edge_kind::signed_zero});
  p.tensor_scale = false;
  p.policy.fast_math = true;
  CHECK(edges_of(p) == std::vector<edge_kind>{edge_kind::wide, edge_kind::tail, edge_kind::steps,
                                              edge_kind::offset, edge_kind::one_huge, edge_kind::huge});
  p.tensors[0].init = "ints";
  CHECK(edges_of(p).empty());
}

TEST_CASE("shapes at the edge: one of everything, and none of each thing that may move") {
  auto p = ke_test::softmax();
  auto found = edge_shapes(p, p.workloads[1].dims);
  REQUIRE(found.size() == 3);
  CHECK(found[0].dims == std::map<std::string, std::int64_t>{{"M", 1}, {"N", 1}});
  CHECK(found[1].name == "M = 0");
  CHECK(found[1].dims.at("N") == 64);
  CHECK(found[2].elements[1] == 0);
  p.workloads = {{"a", {{"M", 8}, {"N", 64}}, 1, false}, {"b", {{"M", 16}, {"N", 128}}, 1, false}};
  for (const auto& s :
       edge_shapes(p, p.workloads[0].dims)) // M is always below N: N = 0 is no shape of theirs
    CHECK(s.dims.at("M") < s.dims.at("N"));
}

namespace {

const std::string softmax_head =
    "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <vector>\n"
    "extern \"C\" void kernel(const float* x, float* y, int64_t m, int64_t n) {\n"
    "  for (int64_t i = 0; i < m; ++i, x += n, y += n) {\n";
const std::string plain_softmax = "    float big = -INFINITY, sum = 0;\n"
                                  "    for (int64_t j = 0; j < n; ++j) big = std::max(big, x[j]);\n"
                                  "    for (int64_t j = 0; j < n; ++j) sum += y[j] = std::exp(x[j] - big);\n"
                                  "    for (int64_t j = 0; j < n; ++j) y[j] /= sum;\n  }\n}\n";

} // namespace

TEST_CASE("a kernel that fails at an edge is incorrect or crashed, and the edge is named") {
  ke_test::checker c;
  auto p = ke_test::softmax();
  struct row {
    const char* name;
    std::string source;
    verdict_state state;
    const char* said;
  };
  const row rows[] = {
      {"no maximum",
       softmax_head +
           "    float sum = 0;\n    for (int64_t j = 0; j < n; ++j) sum += y[j] = std::exp(x[j]);\n"
           "    for (int64_t j = 0; j < n; ++j) y[j] /= sum;\n  }\n}\n",
       verdict_state::incorrect, "inputs: wide"},
      {"NaN dropped",
       softmax_head + "    for (int64_t j = 0; j < n; ++j) y[j] = x[j] == x[j] ? x[j] : 0;\n"
                      "    const float* in = y;\n    float big = in[0], sum = 0;\n"
                      "    for (int64_t j = 1; j < n; ++j) big = std::max(big, in[j]);\n"
                      "    for (int64_t j = 0; j < n; ++j) sum += y[j] = std::exp(y[j] - big);\n"
                      "    for (int64_t j = 0; j < n; ++j) y[j] /= sum;\n  }\n}\n",
       verdict_state::incorrect, "inputs: nan"},
      {"minus infinity from a mask",
       softmax_head +
           "    float big = -INFINITY, sum = 0;\n    for (int64_t j = 0; j < n; ++j) {\n"
           "      float now = std::max(big, x[j]);\n"
           "      sum = sum * std::exp(big - now) + std::exp(x[j] - now);\n      big = now;\n    }\n"
           "    for (int64_t j = 0; j < n; ++j) y[j] = std::exp(x[j] - big) / sum;\n  }\n}\n",
       verdict_state::incorrect, "inputs: masked"},
      {"a division by an extent",
       softmax_head + "    volatile int64_t block = 4096 / n;\n    (void)block;\n" + plain_softmax,
       verdict_state::crashed, "N = 0"},
      {"a division by the other",
       "#include <cstdint>\n#include <cmath>\n#include <algorithm>\n"
       "extern \"C\" void kernel(const float* x, float* y, int64_t m, int64_t n) {\n"
       "  volatile int64_t block = 4096 / m;\n  (void)block;\n  for (int64_t i = 0; i < m; ++i, x += n, y += "
       "n) {\n" +
           plain_softmax,
       verdict_state::crashed, "M = 0"},
#if defined(__x86_64__)
      {"aligned vectors",
       "#include <cstdint>\n#include <cmath>\n#include <algorithm>\n"
       "typedef float lanes __attribute__((vector_size(16)));\n"
       "extern \"C\" void kernel(const float* x, float* y, int64_t m, int64_t n) {\n"
       "  if (n % 4 == 0 && n > 0) {\n    lanes v = *(const lanes*)x;\n    asm volatile(\"\" : : "
       "\"x\"(v));\n  }\n"
       "  for (int64_t i = 0; i < m; ++i, x += n, y += n) {\n" +
           plain_softmax,
       verdict_state::crashed, "aligned"},
#endif
  };
  for (const auto& r : rows) {
    auto v = c.judge(p, r.source, measure_plan::rank);
    INFO(r.name << ": " << verdict_json(v));
    CHECK(v.state == r.state);
    CHECK(v.reason.find(r.said) != std::string::npos);
  }
}

TEST_CASE("what fast math gives up is not asked for where the policy allows it") {
  ke_test::checker c;
  auto p = ke_test::elementwise();
  std::string dropped = "#include <cmath>\n#include <cstdint>\n"
                        "extern \"C\" void kernel(const float* x, float* y, double scale, int64_t n) {\n"
                        "  for (int64_t i = 0; i < n; ++i)\n"
                        "    y[i] = (x[i] == x[i] ? std::sin(x[i]) * (float)scale : 0.0f) + 1.0f;\n}\n";
  auto v = c.judge(p, dropped, measure_plan::rank);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
  REQUIRE(v.first_failure);
  CHECK(v.first_failure->distribution == "nan");
  CHECK(v.first_failure->index.size() == 1);
  p.policy.fast_math = true;
  v = c.judge(p, dropped, measure_plan::rank);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
}

TEST_CASE("a maximum may treat a NaN as it likes, its neighbours may not") {
  ke_test::checker c;
  problem p;
  p.name = "row-max";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"M"}, "normal"}};
  p.workloads = {{"a", {{"M", 33}, {"N", 65}}, 1, false}};
  p.reference_language = "c++";
  std::string head = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n"
                     "extern \"C\" void kernel(const float* x, float* y, int64_t m, int64_t n) {\n"
                     "  for (int64_t i = 0; i < m; ++i) {\n";
  p.reference = head + "    float big = x[i * n];\n    for (int64_t j = 1; j < n; ++j)\n"
                       "      if (x[i * n + j] > big) big = x[i * n + j];\n    y[i] = big;\n  }\n}\n";
  auto other = head + "    float big = -INFINITY;\n    for (int64_t j = n; j-- > 0;)\n"
                      "      big = std::fmax(big, x[i * n + j]);\n    y[i] = big;\n  }\n}\n";
  auto v = c.judge(p, other, measure_plan::rank);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
}

TEST_CASE("bytes wrap round in the truth as in the kernel, and sums in another order are right to the bit") {
  ke_test::checker c;
  problem p;
  p.name = "wrapping-sums";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::u8, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::u8, {"M"}, "normal"}};
  p.workloads = {{"a", {{"M", 33}, {"N", 65}}, 1, false}};
  p.reference_language = "c++";
  std::string head = "#include <cstdint>\nextern \"C\" void kernel(const uint8_t* x, uint8_t* y, int64_t m, "
                     "int64_t n) {\n  for (int64_t i = 0; i < m; ++i) {\n";
  p.reference = head + "    uint8_t s = 0;\n    for (int64_t j = 0; j < n; ++j) s += x[i * n + j];\n"
                       "    y[i] = s;\n  }\n}\n";
  auto backwards = head + "    uint32_t s = 0;\n    for (int64_t j = n; j-- > 0;) s += x[i * n + j];\n"
                          "    y[i] = (uint8_t)s;\n  }\n}\n";
  auto saturating = head + "    uint32_t s = 0;\n    for (int64_t j = 0; j < n; ++j) s += x[i * n + j];\n"
                           "    y[i] = s > 255 ? 255 : s;\n  }\n}\n";
  CHECK(c.judge(p, backwards, measure_plan::rank).state == verdict_state::correct);
  CHECK(c.judge(p, saturating, measure_plan::rank).state == verdict_state::incorrect);
}

TEST_CASE(
    "sixteen bits hide the reference's own error so a kernel that does not cancel where it does is right") {
  // Far below zero both the reference and its wider form cancel to nothing, where these forms give 1e-16.
  ke_test::checker c;
  problem p;
  p.name = "gelu";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::bf16, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::bf16, {"N"}, "normal"}};
  p.workloads = {{"a", {{"N", 777}}, 1, false}};
  p.reference_language = "c++";
  auto gelu = [](const std::string& value) {
    return "#include \"ke.h\"\n#include <cmath>\nextern \"C\" void kernel(const uint16_t* x, uint16_t* y, "
           "int64_t n) {\n"
           "  for (int64_t i = 0; i < n; ++i) {\n    float v = ke_bf16_to_float(x[i]);\n"
           "    y[i] = ke_float_to_bf16(" +
           value + ");\n  }\n}\n";
  };
  const std::string inner = "0.7978845608f * (v + 0.044715f * v * v * v)";
  struct form {
    std::string reference, kernel;
  };
  for (const auto& f :
       {form{"0.5f * v * (1 + std::erf(v * 0.70710678f))", "0.5f * v * std::erfc(v * -0.70710678f)"},
        form{"0.5f * v * (1 + std::tanh(" + inner + "))", "v / (1 + std::exp(-2 * " + inner + "))"}}) {
    p.reference = gelu(f.reference);
    auto v = c.judge(p, gelu(f.kernel), measure_plan::rank);
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
    v = c.judge(p, gelu("v < -2 ? 0 : " + f.kernel), measure_plan::rank);
    CHECK(v.state == verdict_state::incorrect);
  }
}

TEST_CASE("a prefix sum in order over long rows of both signs is right, in each judgement", "[costly]") {
  // The reference adds up in double, so its own error said nothing, and one rounding of each term moves a sum less
  // than the roundings on the way do.
  ke_test::checker c;
  problem p;
  p.name = "prefix_sum";
  p.family = "scan";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"M", "N"}, "normal"}};
  p.workloads = {{"rows", {{"M", 32}, {"N", 4096}}, 1, false}};
  p.reference_language = "c++";
  auto summed_in = [](const std::string& type) {
    return "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t M, int64_t N) {\n"
           "  for (int64_t m = 0; m < M; ++m) {\n    " +
           type +
           " sum = 0;\n    for (int64_t n = 0; n < N; ++n)\n"
           "      y[m * N + n] = static_cast<float>(sum += x[m * N + n]);\n  }\n}\n";
  };
  p.reference = summed_in("double");
  for (int i = 0; i < 4; ++i) {
    auto v = c.judge(p, summed_in("float"));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}
