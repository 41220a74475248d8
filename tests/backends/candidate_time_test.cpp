#include "backends/judge/call_notes.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

using namespace ke;

TEST_CASE("a candidate has run_s for its own calls: what others take is not its time") {
  evidence found;
  job_limits limits;
  limits.run_s = 2;
  CHECK(within_time(found, limits, 2, "wide"));
  CHECK(found.ending == ending::finished);
  CHECK_FALSE(within_time(found, limits, 2.1, "wide"));
  CHECK(found.ending == ending::timeout);
  CHECK(found.reason == "its calls took more than 2 s together, the last one on workload wide");
}

TEST_CASE("a candidate whose calls take long together is out of time, by its own calls") {
  ke_test::checker c;
  problem p;
  p.name = "scale";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"one", {{"N", 64}}, 1, false}};
  p.reference_language = "c++";
  p.reference = "#include <cstdint>\n"
                "extern \"C\" void kernel(const float* x, float* y, int64_t N) {\n"
                "  for (int64_t n = 0; n < N; ++n)\n    y[n] = 2 * x[n];\n}\n";
  c.options.limits.run_s = 1;
  c.options.budget_s = 0.1; // a plan may ask for more than run_s
  auto v =
      c.judge(p, "#include <chrono>\n#include <cstdint>\n"
                 "extern \"C\" void kernel(const float* x, float* y, int64_t N) {\n"
                 "  using clock = std::chrono::steady_clock;\n"
                 "  for (auto t = clock::now(); clock::now() - t < std::chrono::milliseconds(100);)\n    ;\n"
                 "  for (int64_t n = 0; n < N; ++n)\n    y[n] = 2 * x[n];\n}\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::timeout);
  CHECK(v.reason.starts_with("its calls took more than "));
}
