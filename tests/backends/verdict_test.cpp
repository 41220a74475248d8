#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "runtime/core/reward.hpp"

using namespace ke;

namespace {

problem one_workload() {
  problem p;
  p.workloads = {{"wide", {{"N", 8}}, 1.0, false}};
  return p;
}

/// Correct on all calls and clearly twice as fast.
evidence good() {
  evidence e;
  e.cases = 20;
  e.timed_calls = e.timed_calls_checked = 24;
  e.aa_width = 0.01;
  for (int l = 0; l < 2; ++l) {
    launch_samples s;
    for (int i = 0; i < 12; ++i) {
      s.reference_ns.push_back(2000 + i);
      s.candidate_ns.push_back(1000 + (i * 7) % 5);
    }
    e.launches.push_back(s);
  }
  e.provenance = {{"backend", "cpu-cpp"}, {"problem", "p"}, {"candidate", "c"}};
  return e;
}

verdict judged(const evidence& e) {
  return verdict_of(e, one_workload(), measure_plan::rank);
}

} // namespace

TEST_CASE("good evidence is correct, faster, and scored by the interval's lower bound") {
  auto v = judged(good());
  CHECK(v.state == verdict_state::correct);
  CHECK(v.decision == timing_decision::faster);
  REQUIRE(v.timing);
  REQUIRE(v.score);
  CHECK(*v.score == v.timing->low);
  CHECK(v.timing->speedup == Approx(2.0).epsilon(0.01));
}

TEST_CASE("states take precedence in the order of the trust page") {
  // Each step adds a finding that outranks all before it.
  auto e = good();
  e.aa_width = 0.5;
  CHECK(judged(e).state == verdict_state::noisy);
  e.compiled_only = true;
  CHECK(judged(e).state == verdict_state::compiled);
  e.failed = 1;
  CHECK(judged(e).state == verdict_state::incorrect);
  e.nondeterministic = true;
  CHECK(judged(e).state == verdict_state::nondeterministic);
  for (auto [how, state] : {std::pair{ending::crashed, verdict_state::crashed},
                            {ending::timeout, verdict_state::timeout},
                            {ending::resource_exceeded, verdict_state::resource_exceeded}}) {
    e.ending = how;
    CHECK(judged(e).state == state);
  }
  e.flags.push_back({"inputs_changed", "x"});
  CHECK(judged(e).state == verdict_state::cheating_suspected);
  e.flags.push_back({"policy_symbol", "fork"});
  CHECK(judged(e).state == verdict_state::policy_violation);
  e.ending = ending::build_failed;
  CHECK(judged(e).state == verdict_state::build_failed);
  e.ending = ending::harness_error;
  CHECK(judged(e).state == verdict_state::harness_error);
  e.unfit = "accepts zeros";
  CHECK(judged(e).state == verdict_state::unfit_problem);
}

TEST_CASE("scores follow the contract: zero for failures, none where nothing was decided") {
  auto score = [](auto change) {
    auto e = good();
    change(e);
    return judged(e).score;
  };
  CHECK(score([](evidence& e) { e.failed = 1; }) == 0.0);
  CHECK(score([](evidence& e) { e.ending = ending::crashed; }) == 0.0);
  CHECK(score([](evidence& e) { e.ending = ending::build_failed; }) == 0.0);
  CHECK(score([](evidence& e) { e.flags.push_back({"clock_mismatch", ""}); }) == 0.0);
  CHECK_FALSE(score([](evidence& e) { e.unfit = "x"; }));
  CHECK_FALSE(score([](evidence& e) { e.ending = ending::harness_error; }));
  CHECK_FALSE(score([](evidence& e) { e.compiled_only = true; }));
  CHECK_FALSE(score([](evidence& e) { e.aa_width = 0.6; }));
  CHECK_FALSE(score([](evidence& e) { e.timed = false; }));
}

TEST_CASE("where the baseline varies against itself by more than a quarter, only what is far beyond that is "
          "decided") {
  auto e = good(); // twice as fast
  for (auto [width, decided] : {std::pair{0.3, true}, {0.45, true}, {0.55, false}, {2.0, false}}) {
    e.aa_width = width;
    INFO(width);
    CHECK((judged(e).decision == timing_decision::faster) == decided);
    CHECK((judged(e).state == verdict_state::noisy) != decided);
  }
}

TEST_CASE("a right kernel of a few elements is too short to be timed, and not the evaluator's failure") {
  auto e = good();
  e.floor_ns = 2e6;
  auto v = judged(e);
  CHECK(v.state == verdict_state::noisy);
  CHECK(v.reason == "a call takes no longer than the way to the candidate and back; time a larger workload");
  CHECK_FALSE(v.score);
}

TEST_CASE("a timed call that nobody checked is the evaluator's fault") {
  auto e = good();
  e.timed_calls_checked = 23;
  CHECK(judged(e).state == verdict_state::harness_error);
  e = good();
  e.cases = 0;
  CHECK(judged(e).state == verdict_state::harness_error);
}

TEST_CASE("writing beside an output alone is wrong, not suspicious") {
  auto e = good();
  e.failed = 1;
  e.flags.push_back({"red_zone", "beside y"});
  CHECK(judged(e).state == verdict_state::incorrect);
}

TEST_CASE("the JSON has the shape of the contract") {
  auto j = nlohmann::json::parse(verdict_json(judged(good())));
  for (const char* key : {"state", "decision", "reason", "score", "backend", "device", "problem", "candidate",
                          "correctness", "integrity", "timing", "diagnosis", "cost", "provenance", "log"})
    CHECK(j.contains(key));
  CHECK(j["decision"] == "faster");
  CHECK(j["correctness"]["first_failure"].is_null());
  CHECK(j["integrity"]["flags"].empty());
  CHECK(j["timing"]["ci95"].size() == 2);
  CHECK(j["timing"]["baseline"] == "reference");
  CHECK(j["timing"]["workloads"][0]["name"] == "wide");
  CHECK(j["timing"]["workloads"][0]["held_out"] == false);
  CHECK(j["timing"]["workloads"][0]["candidate_ns"] == j["timing"]["candidate_ns"]);
  CHECK(j["timing"]["workloads"][0]["reference_ns"] == j["timing"]["reference_ns"]);
  CHECK(j["cost"].contains("build_s"));

  auto e = good();
  e.timed = false;
  e.launches.clear();
  auto untimed = nlohmann::json::parse(verdict_json(judged(e)));
  CHECK(untimed["state"] == "correct");
  CHECK(untimed["decision"].is_null());
  CHECK(untimed["score"].is_null());
  CHECK(untimed["timing"].is_null());

  e.failed = 1;
  e.first_failure = mismatch{"wide", "y", {3}, 1.0, std::nan(""), 0.1, 2, "init"};
  e.log = "\xff\xfe broken";
  auto wrong = nlohmann::json::parse(verdict_json(judged(e)));
  CHECK(wrong["score"] == 0.0);
  CHECK(wrong["correctness"]["first_failure"]["index"][0] == 3);
  CHECK(wrong["correctness"]["first_failure"]["got"].is_null());
}

TEST_CASE("the JSON says how well the reward of this measurement is known") {
  auto v = judged(good());
  auto j = nlohmann::json::parse(verdict_json(v));
  REQUIRE(j["reward_ci95"].size() == 2);
  CHECK(j["reward_ci95"][0] == j["reward"]);
  CHECK(j["reward_ci95"][0] == shaped_speedup(v.timing->low));
  CHECK(j["reward_ci95"][1] == shaped_speedup(v.timing->high));

  auto e = good();
  e.unfit = "its check accepts zeros";
  j = nlohmann::json::parse(verdict_json(judged(e)));
  CHECK(j["reward"].is_null());
  CHECK(j["reward_ci95"].is_null());
}

TEST_CASE("A69: what was compiled and not executed says so, with its static figures, and has no score") {
  evidence e;
  e.compiled_only = true;
  e.reason = "compiled, not executed: nothing here can run it";
  e.counters = {
      {"static.sm_90.kernel.registers", 40}, {"static.sm_90.kernel.spill_bytes", 8}, {"insn.total", 7}};
  auto v = judged(e);
  CHECK(v.state == verdict_state::compiled);
  CHECK_FALSE(v.score);
  CHECK(v.reason == "compiled, not executed: nothing here can run it; kernel: 40 registers, 8 bytes spilled");
  auto json = nlohmann::json::parse(verdict_json(v, e.counters));
  CHECK(json["metrics"] ==
        nlohmann::json{{"sm_90.kernel.registers", 40.0}, {"sm_90.kernel.spill_bytes", 8.0}});
  CHECK_FALSE(nlohmann::json::parse(verdict_json(v)).contains("metrics"));
}
