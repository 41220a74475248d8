// f8e4m3 and f8e5m2 through the whole judge: quantise, dequantise, products and sums in C++.
#include "backends/evaluation/harness.hpp"
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <algorithm>

using namespace ke;

namespace {

/// A source with the type's name for T and the helpers' for TO and FROM.
std::string source(std::string text, dtype d = dtype::f8e4m3) {
  const std::string name{to_text(d)};
  for (auto [key, value] : {std::pair<std::string, std::string>{"FROM", "ke_" + name + "_to_float"},
                            {"TO", "ke_float_to_" + name}})
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + value.size()))
      text.replace(at, key.size(), value);
  return "#include \"ke.h\"\n#include <cmath>\n#include <cstdint>\n" + text;
}

struct float8_source {
  const char* name;
  std::string text;
  verdict_state state;
};

constexpr auto right = verdict_state::correct, wrong = verdict_state::incorrect;

void judge_all(ke_test::checker& c, const problem& p, dtype d, const std::vector<float8_source>& all) {
  for (const auto& one : all) {
    auto v = c.judge(p, source(one.text, d));
    INFO(to_text(d) << ": " << one.name << "\n" << verdict_json(v));
    CHECK(v.state == one.state);
    CHECK(v.provenance["truth"] ==
          (p.bitwise ? "the reference itself" : "the reference in wider arithmetic"));
  }
}

std::string quantised(const std::string& value, const std::string& before = "",
                      const std::string& end = "M * N") {
  return before +
         "extern \"C\" void kernel(const float* x, uint8_t* y, double scale, int64_t M, int64_t N) {\n"
         "  const float s = (float)scale;\n  for (int64_t i = 0; i < " +
         end + "; ++i)\n    y[i] = " + value + ";\n}\n";
}

problem quantise(dtype d) {
  problem p;
  p.name = "quantise";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"y", tensor_role::out, d, {"M", "N"}, "normal"}};
  p.scalars = {{"scale", false, 12.5}};
  p.workloads = {{"rows", {{"M", 48}, {"N", 64}}, 1, false}};
  p.reference_language = "c++";
  p.reference = source(quantised("TO(x[i] * s)"), d);
  return p;
}

const std::string truncating = "static uint8_t cut(float v) {\n  uint8_t q = TO(v);\n"
                               "  return std::fabs(FROM(q)) > std::fabs(v) ? q - 1 : q;\n}\n";

std::string product(const std::string& sum, const std::string& store, const std::string& end = "K") {
  return "extern \"C\" void kernel(const uint8_t* a, const uint8_t* b, uint16_t* y, double scale, int64_t M, "
         "int64_t N, "
         "int64_t K) {\n  for (int64_t m = 0; m < M; ++m)\n    for (int64_t n = 0; n < N; ++n) {\n      " +
         sum + " sum = 0;\n      for (int64_t k = 0; k < " + end +
         "; ++k)\n        sum += FROM(a[m * K + k]) * FROM(b[k * N + n]);\n      y[m * N + n] = "
         "ke_float_to_bf16(" +
         store + ");\n    }\n}\n";
}

/// Row scales behind a product: `begin` before the sum, `add` for each term p, `end` the sum.
std::string scaled_product(const std::string& begin, const std::string& add, const std::string& end) {
  return "extern \"C\" void kernel(const uint8_t* a, const uint8_t* b, const float* s, uint16_t* y, int64_t "
         "M, "
         "int64_t N, int64_t K) {\n  for (int64_t m = 0; m < M; ++m)\n    for (int64_t n = 0; n < N; ++n) "
         "{\n      " +
         begin +
         "\n      for (int64_t k = 0; k < K; ++k) {\n        float p = FROM(a[m * K + k]) * FROM(b[k * N + "
         "n]);\n"
         "        " +
         add + "\n      }\n      y[m * N + n] = ke_float_to_bf16((" + end + ") * s[m]);\n    }\n}\n";
}

/// As Hopper's do: 32 terms and the sum so far, each cut to so many bits behind the largest one's first; after so many terms
/// the sum goes into f32.
std::string by_tensor_cores(int terms_of_a_sum, int bits) {
  const auto terms = std::to_string(terms_of_a_sum);
  return "struct block {\n  float p[33], sum = 0, total = 0;\n  int n = 0, seen = 0;\n"
         "  void close() {\n    p[n++] = sum;\n    float most = 0;\n"
         "    for (int i = 0; i < n; ++i) most = fmaxf(most, fabsf(p[i]));\n"
         "    float step = most > 0 ? ldexpf(1, ilogbf(most) - " +
         std::to_string(bits) +
         ") : 1;\n    sum = 0;\n    for (int i = 0; i < n; ++i) sum += truncf(p[i] / step) * step;\n    n = "
         "0;\n"
         "    if (seen % " +
         terms +
         " == 0) { total += sum; sum = 0; }\n  }\n"
         "  void add(float v) { p[n++] = v; ++seen; if (n == 32) close(); }\n};\n" +
         scaled_product("block all;", "all.add(p);", "(all.close(), all.total + all.sum)");
}

std::string row_sum(const std::string& type, const std::string& end = "N",
                    const std::string& store = "TO(sum)") {
  return "extern \"C\" void kernel(const uint8_t* x, uint8_t* y, int64_t M, int64_t N) {\n"
         "  for (int64_t m = 0; m < M; ++m) {\n    " +
         type + " sum = 0;\n    for (int64_t n = N; n-- > N - " + end +
         ";)\n      sum += FROM(x[m * N + n]);\n    y[m] = " + store + ";\n  }\n}\n";
}

} // namespace

TEST_CASE("quantised to eight bits: rounding is right, truncation and a scale forgotten are not",
          "[costly]") {
  ke_test::checker c;
  for (auto d : {dtype::f8e4m3, dtype::f8e5m2}) {
    auto p = quantise(d);
    REQUIRE(widest_form(p) == widening::all);
    judge_all(c, p, d,
              {{"the reference", quantised("TO(x[i] * s)"), right},
               {"in double", quantised("TO((float)(x[i] * scale))"), right},
               {"by way of f16", quantised("TO((float)(_Float16)(x[i] * s))"), right},
               {"truncated", quantised("cut(x[i] * s)", truncating), wrong},
               {"without its scale", quantised("TO(x[i])"), wrong},
               {"half of the rows", quantised("TO(x[i] * s)", "", "M / 2 * N"), wrong},
               {"one step too far", quantised("(uint8_t)(TO(x[i] * s) + 1)"), wrong},
               {"a NaN is a number", quantised("x[i] != x[i] ? 0x78 : TO(x[i] * s)"), wrong},
               {"too large is a NaN", quantised("std::fabs(x[i] * s) > 448 ? 0x7f : TO(x[i] * s)"), wrong}});
  }
}

TEST_CASE("where every bit counts, one step is wrong and so is the other side of a tie") {
  ke_test::checker c;
  auto p = quantise(dtype::f8e4m3);
  p.bitwise = true;
  judge_all(c, p, dtype::f8e4m3,
            {{"the reference", quantised("TO(x[i] * s)"), right},
             {"one step in one place", quantised("(uint8_t)(TO(x[i] * s) ^ (i == 7))"), wrong},
             {"truncated", quantised("cut(x[i] * s)", truncating), wrong}});
}

TEST_CASE("numbers of eight bits are what they are: NaN, infinities and subnormal ones, too") {
  ke_test::checker c;
  for (auto d : {dtype::f8e4m3, dtype::f8e5m2}) {
    problem p;
    p.name = "dequantise";
    p.dims = {"N"};
    p.tensors = {{"x", tensor_role::in, d, {"N"}, "normal"},
                 {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
    p.scalars = {{"scale", false, 0.4}};
    p.workloads = {{"w", {{"N", 3000}}, 1, false}};
    p.reference_language = "c++";
    auto kernel = [](const std::string& value) {
      return "extern \"C\" void kernel(const uint8_t* x, float* y, double scale, int64_t N) {\n"
             "  for (int64_t i = 0; i < N; ++i)\n    y[i] = " +
             value + " * (float)scale;\n}\n";
    };
    p.reference = source(kernel("FROM(x[i])"), d);
    REQUIRE(widest_form(p) == widening::all_but_carried); // inputs are exact as they are
    std::string by_hand = d == dtype::f8e4m3
                              ? "(x[i] & 0x80 ? -1 : 1) * ((x[i] & 0x7f) > 7 ? std::ldexp(8 + (x[i] & 7), "
                                "(x[i] >> 3 & 15) - 10) : std::ldexp(x[i] & 7, -9))"
                              : "(x[i] & 0x80 ? -1 : 1) * ((x[i] & 0x7f) > 3 ? std::ldexp(4 + (x[i] & 3), "
                                "(x[i] >> 2 & 31) - 17) : std::ldexp(x[i] & 3, -16))";
    std::string nan = d == dtype::f8e4m3 ? "(x[i] & 0x7f) == 0x7f" : "(x[i] & 0x7f) > 0x7c";
    auto whole = d == dtype::f8e4m3
                     ? "(" + nan + " ? NAN : (float)(" + by_hand + "))"
                     : "(" + nan +
                           " ? NAN : (x[i] & 0x7f) == 0x7c ? (x[i] & 0x80 ? -INFINITY : INFINITY) : "
                           "(float)(" +
                           by_hand + "))";
    judge_all(
        c, p, d,
        {{"the reference", kernel("FROM(x[i])"), right},
         {"by hand", kernel(whole), right},
         {"without what is no number", kernel("(float)(" + by_hand + ")"), wrong},
         {"subnormal ones are zero",
          kernel(std::string{"((x[i] & 0x7f) > "} + (d == dtype::f8e4m3 ? "7" : "3") +
                 " ? FROM(x[i]) : 0.0f)"),
          wrong},
         {"as the other format",
          kernel(d == dtype::f8e4m3 ? "ke_f8e5m2_to_float(x[i])" : "ke_f8e4m3_to_float(x[i])"), wrong}});
  }
}

TEST_CASE("a product of eight bits is added up in 32, and half of it or another bias is wrong") {
  ke_test::checker c;
  const auto d = dtype::f8e4m3;
  problem p;
  p.name = "matmul_f8";
  p.family = "matmul";
  p.dims = {"M", "N", "K"};
  p.tensors = {{"a", tensor_role::in, d, {"M", "K"}, "normal"},
               {"b", tensor_role::in, d, {"K", "N"}, "normal"},
               {"y", tensor_role::out, dtype::bf16, {"M", "N"}, "normal"}};
  p.scalars = {{"scale", false, 0.05}};
  p.workloads = {{"w", {{"M", 24}, {"N", 20}, {"K", 1024}}, 1, false}};
  p.reference_language = "c++";
  p.reference = source(product("float", "sum * (float)scale"), d);
  judge_all(c, p, d,
            {{"the reference", product("float", "sum * (float)scale"), right},
             {"in double", product("double", "(float)(sum * scale)"), right},
             {"half of the sum", product("float", "sum * (float)scale", "K / 2"), wrong},
             {"without its scale", product("float", "sum"), wrong},
             {"added up in f16", product("_Float16", "(float)sum * (float)scale"), wrong},
             {"of another bias", product("float", "sum * (float)scale / 4"), wrong}});
}

TEST_CASE("a product of eight bits as tensor cores add it is right: 13 bits behind the largest of 32 terms") {
  ke_test::checker c;
  const auto d = dtype::f8e4m3;
  problem p;
  p.name = "scaled_mm";
  p.family = "matmul";
  p.dims = {"M", "N", "K"};
  p.tensors = {{"a", tensor_role::in, d, {"M", "K"}, "normal"},
               {"b", tensor_role::in, d, {"K", "N"}, "normal"},
               {"s", tensor_role::in, dtype::f32, {"M"}, "uniform", {"0.001", "0.1"}},
               {"y", tensor_role::out, dtype::bf16, {"M", "N"}, "normal"}};
  p.workloads = {{"deep", {{"M", 24}, {"N", 40}, {"K", 1024}}, 1, false},
                 {"shallow", {{"M", 64}, {"N", 64}, {"K", 128}}, 1, false}};
  p.reference_language = "c++";
  p.reference = source(scaled_product("float sum = 0;", "sum += p;", "sum"), d);
  auto in_order = [](const char* type) {
    return scaled_product(std::string{type} + " sum = 0;", "sum += p;", "(float)sum");
  };
  judge_all(c, p, d,
            {{"the reference", in_order("float"), right},
             {"in double", in_order("double"), right},
             {"sums of 128, as `torch._scaled_mm` has them", by_tensor_cores(128, 13), right},
             {"sums of 32", by_tensor_cores(32, 13), right},
             {"five bits fewer", by_tensor_cores(128, 8), wrong},
             {"added up in f16", in_order("_Float16"), wrong}});
}

TEST_CASE("sums of eight bits in eight bits: the terms are added in 32, and rounded once", "[costly]") {
  ke_test::checker c;
  for (auto d : {dtype::f8e4m3, dtype::f8e5m2}) {
    problem p;
    p.name = "row_sums_f8";
    p.dims = {"M", "N"};
    p.tensors = {{"x", tensor_role::in, d, {"M", "N"}, "normal"},
                 {"y", tensor_role::out, d, {"M"}, "normal"}};
    p.workloads = {{"w", {{"M", 200}, {"N", 72}}, 1, false}};
    p.reference_language = "c++";
    p.reference = source(row_sum("float"), d);
    judge_all(c, p, d,
              {{"the reference", row_sum("float"), right},
               {"in double", row_sum("double", "N", "TO((float)sum)"), right},
               {"half of the sum", row_sum("float", "N / 2"), wrong},
               {"without its last quarter", row_sum("float", "(N - N / 4)"), wrong},
               {"truncated", truncating + row_sum("float", "N", "cut(sum)"), wrong}});
    auto report = lint_problem(p, c.cpu, c.options, c.processes);
    REQUIRE(report);
    INFO(lint_json(p, *report));
    CHECK(report->reasons.empty());
    REQUIRE_FALSE(report->tolerances.empty());
    CHECK(report->tolerances[0].rule == "scaled");
    CHECK(report->tolerances[0].relative == Approx(d == dtype::f8e4m3 ? 0x1p-4 : 0x1p-3).epsilon(0.02));
  }
}

TEST_CASE("a reference that quantises on its way means to, in wider arithmetic, too") {
  // Its truth would be that of an operator without the rounding, and no kernel right.
  ke_test::checker c;
  const auto d = dtype::f8e4m3;
  auto through = [](const std::string& value) {
    return "extern \"C\" void kernel(const float* x, uint8_t* q, float* y, int64_t N) {\n"
           "  for (int64_t i = 0; i < N; ++i) {\n    q[i] = TO(x[i] * 8.0f);\n    y[i] = " +
           value + ";\n  }\n}\n";
  };
  problem p;
  p.name = "there_and_back";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"q", tensor_role::out, d, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"w", {{"N", 4000}}, 1, false}};
  p.reference_language = "c++";
  p.reference = source(through("FROM(q[i]) * 0.125f"), d);
  REQUIRE(widest_form(p) == widening::all);
  judge_all(c, p, d,
            {{"the reference", through("FROM(q[i]) * 0.125f"), right},
             {"divided", through("FROM(TO(x[i] * 8.0f)) / 8.0f"), right},
             {"never rounded", through("x[i]"), wrong}});
}

TEST_CASE(
    "beside another tensor of bytes the truth of eight bits is kept in eight bits, and a neighbour passes") {
  ke_test::checker c;
  const auto d = dtype::f8e4m3;
  auto masked = [](const std::string& value) {
    return "extern \"C\" void kernel(const float* x, const uint8_t* m, uint8_t* y, int64_t N) {\n"
           "  for (int64_t i = 0; i < N; ++i)\n    y[i] = m[i] ? " +
           value + " : 0;\n}\n";
  };
  problem p;
  p.name = "masked";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"m", tensor_role::in, dtype::boolean, {"N"}, "mask"},
               {"y", tensor_role::out, d, {"N"}, "normal"}};
  p.workloads = {{"w", {{"N", 4000}}, 1, false}};
  p.reference_language = "c++";
  p.reference = source(masked("TO(x[i] * 3.0f)"), d);
  REQUIRE(widest_form(p) == widening::all_but_carried);
  judge_all(c, p, d,
            {{"the reference", masked("TO(x[i] * 3.0f)"), right},
             {"in double", masked("TO((float)(x[i] * 3.0))"), right},
             {"two steps off", masked("(uint8_t)(TO(x[i] * 3.0f) + 2)"), wrong},
             {"without the factor", masked("TO(x[i])"), wrong}});
}
