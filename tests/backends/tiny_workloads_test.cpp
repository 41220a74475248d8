#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"
#include "tests/backends/torch_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::string twice =
    "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t n) {\n"
    "  for (int64_t i = 0; i < n; ++i)\n    y[i] = 2 * x[i] + 1;\n}\n";

problem elements(std::int64_t n) {
  problem p;
  p.name = "tiny";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"a", {{"N", n}}, 1, false}};
  p.reference_language = "c++";
  p.reference = twice;
  return p;
}

/// Right is right, whether the time could be told or not.
void check_right(const verdict& v) {
  INFO(verdict_json(v));
  CHECK((v.state == verdict_state::correct || v.state == verdict_state::noisy));
  CHECK(v.failed == 0);
  CHECK(v.flags.empty());
}

} // namespace

TEST_CASE("a right kernel of one to sixteen elements is timed in batches, and never a harness_error") {
  ke_test::checker c;
  c.options.timed = true;
  c.options.budget_s = 0.6;
  for (std::int64_t n : {1, 2, 3, 7, 16}) {
    auto p = elements(n);
    auto found = evaluate(p, twice, c.cpu, measure_plan::rank, c.options, c.processes);
    REQUIRE(found);
    INFO(n << " elements");
    check_right(verdict_of(*found, p, measure_plan::rank));
    // Far shorter than the way to it and back, so that several share one, as far as there is time for inputs.
    CHECK(found->counters.at("calls_per_order.a") >= 2);
    CHECK(found->counters.at("calls_per_order.a") <= 128);
  }
}

TEST_CASE("a right Python kernel of one to sixteen elements is never a harness_error", "[torch]") {
  ke_test::torch_bench b;
  for (const auto* inputs : {"torch.randn(1)", "torch.randn(3)", "torch.randn(4, 4)"}) {
    INFO(inputs);
    check_right(b.judge(ke_test::kernelbench("return 2 * x + 1", inputs),
                        ke_test::candidate("return x + x + 1"), true));
  }
}
