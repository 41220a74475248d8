#include "backends/judge/expectation.hpp"
#include "backends/judge/known_errors.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ke;

namespace {

/// Row sums in f16 of a loop over `n` whose body is `term`, added up in `sum_type`.
std::string row_sums(const std::string& sum_type, const std::string& condition = "true",
                     const std::string& end = "N") {
  return "#include <cstdint>\nextern \"C\" void kernel(const _Float16* x, _Float16* y, int64_t M, int64_t N) "
         "{\n  for (int64_t m = 0; m < M; ++m) {\n    " +
         sum_type + " sum = 0;\n    for (int64_t n = 0; n < " + end + "; ++n)\n      if (" + condition +
         ")\n        sum = static_cast<" + sum_type +
         ">(static_cast<float>(sum) + static_cast<float>(x[m * N + n]));\n"
         "    y[m] = static_cast<_Float16>(sum);\n  }\n}\n";
}

/// The same sums from their end.
std::string backwards(std::string source) {
  const std::string forward = "n = 0; n < N; ++n";
  return source.replace(source.find(forward), forward.size(), "n = N; n-- > 0;");
}

problem sums_of(std::int64_t terms, const std::string& reference) {
  problem p;
  p.name = "row_sums";
  p.family = "reduction";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f16, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f16, {"M"}, "normal"}};
  p.workloads = {{"long", {{"M", 64}, {"N", terms}}, 1, false}};
  p.reference_language = "c++";
  p.reference = reference;
  return p;
}

} // namespace

TEST_CASE("a part of a sum in half precision is no sum, however far its reference is off") {
  // The bound grew with the error of a reference that adds in f16, until half of the terms passed.
  ke_test::checker c;
  auto p = sums_of(512, row_sums("_Float16"));
  for (const auto& honest : {row_sums("_Float16"), row_sums("float")}) {
    auto v = c.judge(p, honest);
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
  struct row {
    const char* name;
    std::string source;
  };
  for (const auto& r :
       {row{"half", row_sums("float", "true", "N / 2")}, row{"a quarter", row_sums("float", "true", "N / 4")},
        row{"no tail", row_sums("float", "true", "N - (N + 31) / 32")},
        row{"not every 32nd", row_sums("float", "n % 32 != 20")},
        row{"no negative ones", row_sums("float", "x[m * N + n] > 0")}}) {
    auto v = c.judge(p, r.source);
    INFO(r.name << ": " << verdict_json(v));
    CHECK(v.state == verdict_state::incorrect);
    CHECK(v.worst_scaled_error > 1.5); // not by a hair
  }
}

TEST_CASE("a more exact sum than the reference's in half precision is right") {
  // An error of a hundredth was taken for a truth that says something else altogether, which bound everybody
  // to the reference's own roundings.
  ke_test::checker c;
  auto v = c.judge(sums_of(1024, row_sums("_Float16")), row_sums("float"));
  INFO(verdict_json(v));
  CHECK((v.state == verdict_state::correct || v.state == verdict_state::unfit_problem));
  CHECK(v.failed == 0);
}

TEST_CASE("a sum in half precision that starts at the other end is right at every edge, in each judgement",
          "[costly]") {
  // One huge term that the reference met late left its own error small, and one kernel in four too far off.
  ke_test::checker c;
  auto p = sums_of(512, row_sums("_Float16"));
  for (int i = 0; i < 12; ++i) {
    auto v = c.judge(p, backwards(row_sums("_Float16")));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}

TEST_CASE("a short sum in half precision of mostly zeros is right in another order, in each judgement",
          "[costly]") {
  // Few of such sums round at all: the reference's own error was that of whichever did, and one judgement in five
  // refused the other order.
  ke_test::checker c;
  auto p = sums_of(512, row_sums("_Float16"));
  p.workloads.push_back({"short", {{"M", 128}, {"N", 5}}, 1, false});
  for (int i = 0; i < 12; ++i) {
    auto v = c.judge(p, backwards(row_sums("_Float16")));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}

TEST_CASE("Bug: a shape of single terms, whose sums never round, took the error of all longer ones away") {
  // A secret shape of a few outputs was held to what its own few sums in one order happened to err by: one judgement in
  // 240 refused the other order.
  known_errors seen;
  CHECK(seen.of(4, 3, 0) == 0);
  seen.note({{"M", 128}, {"N", 5}}, 128, 0.002, 5, 0);
  seen.note({{"M", 64}, {"N", 512}}, 64, 0.5, 512, 0);
  seen.note({{"M", 500}, {"N", 1}}, 500, 0, 1, 0);
  CHECK(seen.of(4, 5, 0) == 0.002);
  CHECK(seen.of(4, 20, 0) == Approx(0.008)); // nearer to 5 terms than to 512: grown with their number
  CHECK(seen.of(4, 128, 0) == Approx(0.25)); // nearer to 512: by the root
  CHECK(seen.of(100, 512, 0) == Approx(0.002 * 512 / 5)); // of shapes with more outputs alone
  CHECK(seen.of(128, 5, 0) == 0);
  CHECK(seen.of(4, 1, 0) == 0);
  seen.note({{"M", 128}, {"N", 5}}, 128, 0.001, 5, 0);
  CHECK(seen.of(4, 5, 0) == 0.002);
  seen.note({{"M", 6}, {"N", 5}}, 6, 0.0001, 5, 0); // six outputs of as many terms: they don't outdo 128
  CHECK(seen.of(4, 5, 0) == 0.002);
  CHECK(seen.of(7, 5, 0) == 0.002);
}

TEST_CASE("Bug: prefixes of three terms in single precision were wrong where they cancel beside a reference "
          "in double") {
  // x0 + x1 is rounded, and x2 takes a hundredth of it away: two judgements in a hundred met such a row in a small secret shape.
  ke_test::checker c;
  const std::string prefixes = R"(#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N) {
  for (int64_t m = 0; m < M; ++m) {
    SUM sum = 0;
    for (int64_t n = 0; n < N; ++n) { sum += x[m * N + n]; y[m * N + n] = static_cast<float>(sum); }
  }
})";
  auto in = [&](const std::string& type) {
    auto text = prefixes;
    return text.replace(text.find("SUM"), 3, type);
  };
  auto p = sums_of(3, in("double"));
  p.tensors[1].shape = p.tensors[0].shape;
  p.tensors[0].dtype = p.tensors[1].dtype = dtype::f32;
  p.workloads = {{"short", {{"M", 2048}, {"N", 3}}, 1, false}};
  auto v = c.judge(p, in("float"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
}

TEST_CASE("Bug: a softmax of long rows was allowed what short rows err by, whose outputs are as many times "
          "larger") {
  // 32 times the error of rows of 64 beside outputs of a 30th of theirs let half the width pass: the problem was unfit.
  known_errors seen;
  seen.note({{"M", 64}, {"N", 64}}, 4096, 1e-8, 64, 0.04);
  CHECK(seen.of(2048, 2048, 0.001) == Approx(2e-8 * std::sqrt(32) * 0.025));
  CHECK(seen.of(2048, 2048, 0) == Approx(32e-8));                    // nobody knows how large
  CHECK(seen.of(32, 2048, 0.001) == Approx(32e-8));                  // so few may be small by chance
  CHECK(seen.of(2048, 2048, 0.04 * std::sqrt(32)) == Approx(32e-8)); // sums that cancel
}

TEST_CASE("a sum in half precision may err beyond its last rounding as often as its reference does, and "
          "round as well") {
  // 4 of the reference's errors beyond a rounding, where a rounding was as large as what was beyond it.
  problem p;
  double truth = -45.0678;
  auto rule = rule_for(p, dtype::f16, true, 5);
  rule.absolute = 4 * 0.022;
  auto e = expect(dtype::f16, &truth, true, 1, rule);
  CHECK(e.low[0] == Approx(truth - 4 * 0.022 - 0x1p-11 * 45.0678).margin(1e-4));
}

TEST_CASE("a check that sees too little at one workload's own sizes makes the problem unfit, by name") {
  ke_test::checker c;
  auto p = sums_of(4352, row_sums("float")); // sums of 2176, which half the width rounds by 6%
  p.tensors[0].init = "uniform";
  p.tolerances["f16"] = {0.04, 0};
  p.workloads.insert(p.workloads.begin(), {"short", {{"M", 64}, {"N", 8}}, 1, false});
  auto v = c.judge(p, row_sums("float", "n % 32 != 20"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("on workload long") != std::string::npos);
  CHECK(v.reason.find("a sum without") != std::string::npos);
}

TEST_CASE("a short sum of few outputs beside a long one is fit in each judgement", "[costly]") {
  // Its bound took the long one's error over, and was never tightened, since eight outputs told nothing.
  ke_test::checker c;
  problem p;
  p.name = "row_sum";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "uniform"},
               {"y", tensor_role::out, dtype::f32, {"M"}, "normal"}};
  p.workloads = {{"long", {{"M", 64}, {"N", 2048}}, 1, false}, {"short", {{"M", 8}, {"N", 17}}, 1, false}};
  p.reference_language = "c++";
  p.reference =
      "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t M, int64_t N) {\n"
      "  for (int64_t m = 0; m < M; ++m) {\n    float sum = 0;\n"
      "    for (int64_t n = 0; n < N; ++n)\n      sum += x[m * N + n];\n    y[m] = sum;\n  }\n}\n";
  for (int i = 0; i < 8; ++i) {
    auto v = c.judge(p, p.reference);
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}
