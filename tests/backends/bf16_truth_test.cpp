#include "backends/evaluation/harness.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

using namespace ke;

namespace {

/// Row sums in bf16 over `end` of N terms, added up in a variable of `type`.
std::string row_sums(const std::string& type, const std::string& end = "N") {
  auto in_bf16 = type == "uint16_t";
  return "#include \"ke.h\"\n#include <cstdint>\nextern \"C\" void kernel(const uint16_t* x, uint16_t* y, "
         "int64_t "
         "M, int64_t N) {\n  for (int64_t m = 0; m < M; ++m) {\n    " +
         type + " sum = 0;\n    for (int64_t n = 0; n < " + end + "; ++n)\n      sum = " +
         (in_bf16 ? "ke_float_to_bf16(ke_bf16_to_float(sum) + ke_bf16_to_float(x[m * N + n]))"
                  : "sum + ke_bf16_to_float(x[m * N + n])") +
         ";\n    y[m] = " + (in_bf16 ? "sum" : "ke_float_to_bf16(sum)") + ";\n  }\n}\n";
}

problem sums(const std::string& reference, std::int64_t terms = 8) {
  problem p;
  p.name = "row_sums_bf16";
  p.family = "reduction";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::bf16, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::bf16, {"M"}, "normal"}};
  p.workloads = {{"rows", {{"M", 256}, {"N", terms}}, 1, false}};
  p.reference_language = "c++";
  p.reference = reference;
  return p;
}

} // namespace

TEST_CASE("a more exact kernel than a reference that adds up in bf16 is right, and half of the sum is not") {
  // The truth stored bf16 as the reference did, rounding for rounding.
  ke_test::checker c;
  auto p = sums(row_sums("uint16_t"));
  for (const auto& honest : {row_sums("uint16_t"), row_sums("float"), row_sums("double")}) {
    auto v = c.judge(p, honest);
    INFO(honest << verdict_json(v));
    CHECK(v.state == verdict_state::correct);
    CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  }
  for (auto end : {"N / 2", "N - (N + 31) / 32", "N - N / 4"}) {
    auto v = c.judge(p, row_sums("float", end));
    INFO(end << verdict_json(v));
    CHECK(v.state == verdict_state::incorrect);
  }
}

TEST_CASE("a reference that adds up in float and stores bf16 is held to what it always was") {
  ke_test::checker c;
  auto p = sums(row_sums("float"), 512);
  auto v = c.judge(p, row_sums("float"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  auto rough = c.judge(p, row_sums("uint16_t"));
  INFO(verdict_json(rough));
  CHECK(rough.state == verdict_state::incorrect);
}

TEST_CASE("a reference that takes bf16 apart by hand is the truth in the form that it compiles in") {
  ke_test::checker c;
  // `inside ? x : 0` is ambiguous where a bf16 is more than its bits.
  auto p =
      sums("#include \"ke.h\"\n#include <cstdint>\nextern \"C\" void kernel(const uint16_t* x, uint16_t* y, "
           "int64_t M, int64_t N) {\n  for (int64_t m = 0; m < M; ++m) {\n    float sum = 0;\n"
           "    for (int64_t n = 0; n <= N; ++n)\n"
           "      sum += ke_bf16_to_float(n < N ? x[m * N + n] : 0);\n"
           "    y[m] = ke_float_to_bf16(sum);\n  }\n}\n");
  REQUIRE(widest_form(p) == widening::all);
  auto v = c.judge(p, row_sums("float"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  auto report = lint_problem(p, c.cpu, c.options, c.processes);
  REQUIRE(report);
  INFO(lint_json(p, *report));
  CHECK(report->reasons.empty());
  CHECK(report->truth == "the reference in wider arithmetic");
  // Bits that are made and read by hand mean what they say.
  p.reference =
      "#include \"ke.h\"\n#include <cstdint>\nextern \"C\" void kernel(const uint16_t* x, uint16_t* y, "
      "int64_t M, int64_t N) {\n  for (int64_t m = 0; m < M; ++m) {\n    float sum = 0;\n"
      "    for (int64_t n = 0; n < N; ++n) {\n      uint16_t plus = x[m * N + n] & 0x7fff;\n"
      "      sum += ke_bf16_to_float(plus);\n    }\n    y[m] = ke_float_to_bf16(sum);\n  }\n}\n";
  v = c.judge(p, p.reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
}
