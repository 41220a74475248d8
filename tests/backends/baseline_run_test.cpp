#include "runtime/core/baseline.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"
#include "tests/backends/problems.hpp"
#include "tests/backends/torch_fixture.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke_test;

namespace {

/// The reference of `elementwise`, so many times over.
std::string repeated(int times) {
  return "#include <cmath>\n#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, double "
         "scale, int64_t n) {\n  for (int again = 0; again < " +
         std::to_string(times) +
         "; ++again) {\n    for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * "
         "static_cast<float>(scale) + 1.0f;\n    asm volatile(\"\" ::: \"memory\");\n  }\n}\n";
}

problem against(problem what, const std::string& source) {
  set_baseline(what, {"file:production.cpp", source});
  return what;
}

} // namespace

TEST_CASE("candidates are timed against the baseline, and their results are held to the reference's",
          "[timing]") {
  checker c;
  c.options.timed = true;
  c.options.budget_s = 1;
  auto p = elementwise();
  auto slow = c.judge(against(p, repeated(40)), p.reference, measure_plan::rank);
  INFO(verdict_json(slow));
  REQUIRE(slow.timing);
  CHECK(slow.timing->speedup > 4); // the reference against itself is 1
  auto j = nlohmann::json::parse(verdict_json(slow));
  CHECK(j["timing"]["baseline"] == "file:production.cpp");
  CHECK(slow.provenance.at("baseline_source") == digest_of(repeated(40)));
  auto fast = c.judge(against(p, p.reference), repeated(40), measure_plan::rank);
  INFO(verdict_json(fast));
  REQUIRE(fast.timing);
  CHECK(fast.timing->speedup < 0.25);
  // What the baseline says is nobody's truth.
  auto wrong = repeated(1);
  wrong.replace(wrong.find("1.0f"), 4, "2.0f");
  CHECK(c.judge(against(p, repeated(1)), wrong).state == verdict_state::incorrect);
  CHECK(c.judge(against(p, wrong), wrong).state == verdict_state::incorrect);
}

TEST_CASE("a baseline that does not compile or does not answer is told, and is no candidate's fault") {
  checker c;
  auto p = elementwise();
  CHECK(c.judge(against(p, "nonsense"), p.reference).state == verdict_state::correct); // untimed: not asked
  c.options.timed = true;
  auto v = c.judge(against(p, "nonsense"), p.reference, measure_plan::rank);
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("the baseline does not compile") != std::string::npos);
  auto dies =
      "#include <cstdint>\n#include <cstdlib>\nextern \"C\" void kernel(const float*, float*, double, "
      "int64_t) { std::abort(); }\n";
  auto found = evaluate(against(p, dies), p.reference, c.cpu, measure_plan::rank, c.options, c.processes);
  REQUIRE(found);
  auto died = verdict_of(*found, p, measure_plan::rank);
  CHECK(died.state == verdict_state::harness_error);
  CHECK(died.reason.find("the baseline failed on workload wide") != std::string::npos);
}

TEST_CASE("a Python candidate is timed against a baseline in Python", "[torch][timing]") {
  torch_bench b;
  auto p = kernelbench("return torch.sin(x)", "torch.randn(512, 2048)");
  auto thrice = candidate("for _ in range(30):\n    y = torch.sin(x)\nreturn y");
  set_baseline(p, {"file:production.py", thrice});
  auto once = candidate("return torch.sin(x)");
  auto found = evaluate(p, once, b.torch, measure_plan::rank, b.options, b.processes);
  REQUIRE(found);
  auto v = verdict_of(*found, p, measure_plan::rank);
  INFO(verdict_json(v));
  REQUIRE(v.timing);
  CHECK(v.timing->speedup > 3);
  set_baseline(p, {"eager", ""});
  found = evaluate(p, once, b.torch, measure_plan::rank, b.options, b.processes);
  REQUIRE(found);
  v = verdict_of(*found, p, measure_plan::rank);
  REQUIRE(v.timing);
  CHECK(v.timing->speedup < 3);
  CHECK(compared_with(v) == "eager");
}
