// Where the seconds of a judgement go.
#include "backends/judge/stage_times.hpp"
#include "backends/verdict/verdict_rules.hpp"

#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ke;

TEST_CASE("what first calls took beyond the fastest on their shapes is told apart") {
  stage_times times;
  CHECK(times.beyond_usual_s() == 0);
  times.note_call("wide", 2.5);
  CHECK(times.beyond_usual_s() == 0); // nobody knows what one takes
  times.note_call("wide", 0.75);
  times.note_call("wide", 0.5);
  times.note_call("wide", 3);
  times.note_call("narrow", 0.25);
  times.note_call("narrow", 1); // none is faster than the first
  CHECK(times.beyond_usual_s() == 2);
  {
    auto first = times.of("edges");
  }
  CHECK(times.seconds().size() == 1);
  CHECK(times.seconds().at("edges") >= 0);
}

TEST_CASE("a verdict says what its stages took, and together they are the check") {
  ke_test::checker c;
  problem p;
  p.name = "twice";
  p.family = "elementwise";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"all", {{"N", 4096}}, 1, false}};
  p.reference_language = "c++";
  p.reference =
      "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t N) {\n  for (int64_t "
      "n = 0; n < N; ++n)\n    y[n] = 2 * x[n];\n}\n";
  auto judged = evaluate(p, p.reference, c.cpu, measure_plan::eval, c.options, c.processes);
  REQUIRE(judged);
  const auto& found = *judged;
  CHECK_FALSE(found.failed);
  double all = 0;
  for (const char* stage : {"start", "workloads", "secret_shapes", "edges"}) {
    INFO(stage);
    auto at = found.counters.find(std::string{"stage_s."} + stage);
    REQUIRE(at != found.counters.end());
    all += at->second;
  }
  CHECK(all <= found.check_s);
  CHECK(all >= 0.5 * found.check_s);

  auto told = nlohmann::json::parse(verdict_json(verdict{}, found.counters)).at("cost");
  CHECK(told.at("stages_s").at("start") == found.counters.at("stage_s.start"));
  CHECK(told.at("stages_s").at("edges") == found.counters.at("stage_s.edges"));
  CHECK(told.contains("first_calls_s"));
}
