// Edges of a workload so large that a ranking tries all kinds of them at a smaller size.
#include "backends/evaluation/truth_banks.hpp"
#include "backends/judge/checked_sizes.hpp"
#include "backends/judge/session_state.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

using namespace ke;

namespace {

constexpr std::int64_t own_size = std::int64_t{1} << 20, reduced_size = own_size / 8;

/// Twice its input; `but`: statements that come first, for element i.
std::string doubled(const std::string& but = "") {
  return "#include <cmath>\n#include <cstdint>\n#include <limits>\nextern \"C\" void kernel(const float* x, "
         "float* y, "
         "int64_t N) {\n  for (int64_t i = 0; i < N; ++i) {\n    y[i] = 2 * x[i];\n" +
         but + "  }\n}\n";
}

problem large_problem() {
  problem p;
  p.name = "doubled";
  p.family = "elementwise";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"large", {{"N", own_size}}, 1, false}};
  p.reference_language = "c++";
  p.reference = doubled();
  return p;
}

std::string wrong_at(std::int64_t size, const std::string& where) {
  return doubled("    if (N == " + std::to_string(size) + " && " + where + ") y[i] = 1;\n");
}

} // namespace

TEST_CASE(
    "a ranking finds what is wrong at the edges of a large workload's smaller size, and NaN at its own") {
  ke_test::checker c;
  auto p = large_problem();
  auto own = *bind_shapes(p, "large", p.workloads[0].dims);
  auto reduced = smaller_shape(p, own, most_elements_of_all_edges / 4);
  REQUIRE(reduced);
  CHECK(reduced->dims.at("N") == reduced_size);
  CHECK(c.judge(p, doubled(), measure_plan::rank).state == verdict_state::correct);
  const std::string subnormal = "x[i] != 0 && std::fabs(x[i]) < std::numeric_limits<float>::min()";
  for (const auto& wrong : {wrong_at(reduced_size, subnormal), wrong_at(reduced_size, "std::isnan(x[i])"),
                            wrong_at(own_size, "std::isnan(x[i])"), wrong_at(own_size, "std::isinf(x[i])")}) {
    auto v = c.judge(p, wrong, measure_plan::rank);
    INFO(wrong << verdict_json(v));
    CHECK(v.state == verdict_state::incorrect);
  }
  // When it is looked at again all kinds are tried at its own size.
  CHECK(c.judge(p, wrong_at(own_size, subnormal), measure_plan::eval).state == verdict_state::incorrect);
}

TEST_CASE("once a problem's own check is known, a ranking tries other distributions at the smaller size") {
  ke_test::checker c;
  c.options.banks = std::make_shared<truth_banks>();
  auto p = large_problem();
  const std::string of_large =
      "std::fabs(x[i]) > 20 && std::fabs(x[i]) < 60"; // of the usual ones none, of no edge
  auto first = c.judge(p, doubled(), measure_plan::rank);
  REQUIRE(first.state == verdict_state::correct);
  CHECK(c.judge(p, wrong_at(reduced_size, of_large), measure_plan::rank).state == verdict_state::incorrect);
  auto again = c.judge(p, doubled(), measure_plan::rank);
  CHECK(again.state == verdict_state::correct);
  CHECK(again.provenance.at("secret_shapes") == first.provenance.at("secret_shapes"));
  CHECK(c.judge(p, wrong_at(own_size, of_large), measure_plan::eval).state == verdict_state::incorrect);
}

TEST_CASE("a shape is made smaller as its promise allows, or not at all") {
  auto p = large_problem();
  auto own = *bind_shapes(p, "large", p.workloads[0].dims);
  CHECK(elements_of(*smaller_shape(p, own, 1000)) <= 1000);
  p.promise["N"] = {own_size, own_size, 1};
  CHECK_FALSE(smaller_shape(p, own, 1000));
}
