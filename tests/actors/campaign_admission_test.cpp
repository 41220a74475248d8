#include "actors/messages/addresses.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

// Before anybody is paid, the reference is judged as its own candidate.

namespace {

class admission_fixture : public search_fixture {
public:
  admission_fixture() { admission = true; }

  static verdict on_device(verdict_state state, std::string reason = {}) {
    verdict v = state == verdict_state::correct ? correct(0.98) : verdict{};
    v.state = state;
    v.reason = std::move(reason);
    v.device = "cpu:test";
    return v;
  }
  std::size_t states_told(const std::string& state) const {
    std::size_t n = 0;
    for (const auto& line : events) {
      auto e = nlohmann::json::parse(line);
      n += e.value("event", "") == "admission" && e.value("state", "") == state;
    }
    return n;
  }
};

} // namespace

TEST_CASE_METHOD(admission_fixture, "no policy asks a model before the reference was judged as a candidate") {
  std::uint32_t id = 0;
  for (auto policy : {policy_kind::mcts, policy_kind::evolution, policy_kind::beam, policy_kind::greedy,
                      policy_kind::best_of_n}) {
    auto s = settings(12, 4);
    s.name = std::string{to_text(policy)};
    s.search.policy = policy;
    what.name = s.name; // another problem: nothing is known of it
    auto asked = models.asked.size();
    launch(s, ++id);
    pass(1min);
    CHECK(models.asked.size() == asked);
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0].node == node_key{id, 0, 0});
    CHECK(*waiting[0].source == what.reference);
    CHECK(waiting[0].source_digest == digest_of(what.reference));
    judge_as(on_device(verdict_state::correct));
    CHECK(models.asked.size() == asked + 4);
    models.open.clear();
  }
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(admission_fixture,
                 "a reference that does not compile costs nothing, and the end says why and where") {
  auto s = settings(40, 40);
  s.search.policy = policy_kind::best_of_n;
  s.problem_path = "/p/problem.toml";
  launch(s);
  for (unsigned tries = 0; tries < 2; ++tries) {
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0].plan == (tries ? measure_plan::eval : measure_plan::rank));
    judge_as(on_device(verdict_state::unfit_problem,
                       "the reference does not compile: reference.cpp:4:3: error: 'x' was not declared"));
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "failed");
  CHECK(outcomes[1].why.kind == failure_kind::invalid); // exit code 2
  CHECK(outcomes[1].why.text.find("/p/problem.toml") != std::string::npos);
  CHECK(outcomes[1].why.text.find("reference.cpp:4:3: error: 'x' was not declared") != std::string::npos);
  CHECK(models.asked.empty());
  CHECK(stored()->row.state == "failed");
  CHECK(stored()->fold.books().requests() == 0);
  CHECK(acknowledged == 2);
  // Mended or not, nothing is kept of it: the next start measures anew.
  kill();
  outcomes.clear();
  start(1, s);
  REQUIRE(waiting.size() == 1);
  judge_as(on_device(verdict_state::correct));
  CHECK(models.asked.size() == 8); // as many as its model takes at once
}

TEST_CASE_METHOD(admission_fixture,
                 "a problem is admitted once: a resume and the next campaign on it measure nothing") {
  auto s = settings(12, 4);
  launch(s);
  judge_as(on_device(verdict_state::correct));
  CHECK(states_told("admitted") == 1);
  CHECK(store->count(1, journal_kind::admitted) == 1);
  kill();
  auto asked = models.asked.size();
  start(1, s);
  CHECK(waiting.empty());
  CHECK(models.open.size() == 4); // what was out is asked again
  s.name = "next";
  launch(s, 2);
  CHECK(waiting.empty());
  CHECK(models.asked.size() > asked + 4);
  // On another device nothing is known of it.
  kill();
  devices["cpu-cpp"] = {"cpu:new"};
  s.name = "elsewhere";
  launch(s, 3);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].node.campaign == 3);
}

TEST_CASE_METHOD(admission_fixture,
                 "a machine that can't judge condemns no problem: it is tried again, later") {
  launch(settings(12, 4));
  judge_as(on_device(verdict_state::harness_error, "the sandbox can't be set up"));
  CHECK(waiting.empty());
  CHECK(outcomes.empty());
  CHECK(told_status()["waiting"][0]["text"].get<std::string>().find("the sandbox can't be set up") !=
        std::string::npos);
  pass(9s);
  CHECK(waiting.empty());
  pass(2s);
  REQUIRE(waiting.size() == 1);
  judge_as(on_device(verdict_state::harness_error, "the sandbox can't be set up"));
  pass(15s);
  CHECK(waiting.empty());
  pass(6s);
  REQUIRE(waiting.size() == 1);
  CHECK(models.asked.empty());
  judge_as(on_device(verdict_state::noisy)); // says nothing against it
  CHECK(models.asked.size() == 4);
  CHECK(told_status()["waiting"].empty());
}

TEST_CASE_METHOD(admission_fixture,
                 "one bad measurement is followed by a closer one before a problem is refused") {
  launch(settings(12, 4));
  judge_as(on_device(verdict_state::incorrect, "wrong value at y[3]"));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].plan == measure_plan::eval);
  CHECK(models.asked.empty());
  judge_as(on_device(verdict_state::correct));
  CHECK(models.asked.size() == 4);
  CHECK(outcomes.empty());
}

TEST_CASE_METHOD(admission_fixture, "cost formulas that lint refuses need no measurement") {
  what.bytes = "1/0*N";
  launch(settings(12, 4));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].why.kind == failure_kind::invalid);
  CHECK(outcomes[1].why.text.find("cost.bytes") != std::string::npos);
  CHECK(waiting.empty());
  CHECK(models.asked.empty());
}

TEST_CASE_METHOD(admission_fixture,
                 "held-out workloads are part of the admission: a claim would fail on them") {
  what.workloads.push_back({"odd", {{"N", 77}}, 1.0, true});
  launch(settings(12, 4));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].plan == measure_plan::eval);
}

TEST_CASE_METHOD(admission_fixture, "an admission leaves the tree as it is, and its device time is counted") {
  auto s = settings(12, 1);
  launch(s);
  judge_as(on_device(verdict_state::correct));
  REQUIRE(drive());
  auto with = tree_hash_of();
  auto device_s = stored()->row.device_s;
  auto judged = static_cast<double>(store->count(1, journal_kind::judged));
  CHECK(device_s == Approx(1.5 * (judged + 1)));
  admission = false;
  s.name = "without";
  launch(s, 2);
  while (!outcomes.contains(2)) {
    settle();
    if (!waiting.empty())
      judge();
    else if (!models.open.empty())
      answer();
    else
      pass(500ms);
  }
  CHECK(tree_hash_of(2) == with);
}

TEST_CASE_METHOD(admission_fixture,
                 "several targets are admitted each; one that is refused is left out while another goes on") {
  auto s = settings(12, 4);
  s.targets = {{"cpu-cpp", "*"}, {"other", "*"}};
  launch(s);
  REQUIRE(waiting.size() == 2);
  judge_as(on_device(verdict_state::unfit_problem, "zeros pass"));
  judge_as(on_device(verdict_state::correct));
  CHECK(outcomes.empty());
  CHECK(models.asked.size() == 4);
  REQUIRE(waiting.size() == 1); // the first one's closer measurement
  judge_as(on_device(verdict_state::unfit_problem, "zeros pass"));
  CHECK(outcomes.empty());
  CHECK(told_status()["waiting"][0]["text"] == "left out: zeros pass");
  CHECK(states_told("refused") == 1);
  for (const auto& call : models.asked)
    CHECK(call.find("-t1-") != std::string::npos);
}

TEST_CASE_METHOD(admission_fixture, "a restart while the reference is measured measures it again") {
  auto s = settings(12, 4);
  launch(s);
  REQUIRE(waiting.size() == 1);
  kill();
  start(1, s);
  REQUIRE(waiting.size() == 1);
  CHECK(models.asked.empty());
  tell(addresses::campaign(1), interrupt{}); // nothing waits for it
  CHECK(outcomes.contains(1));
  CHECK(cancelled == std::vector<node_key>{{1, 0, 0}});
}

TEST_CASE_METHOD(admission_fixture,
                 "a reference that costs three workers is tried once more, later, before it is refused") {
  launch(settings(12, 4));
  for (int i = 0; i < 2; ++i) {
    REQUIRE(waiting.size() == 1);
    CHECK(outcomes.empty());
    waiting.clear();
    tell(addresses::campaign(1),
         evaluation_failed{{1, 0, 0}, node_state::poisoned, "three workers were lost"});
    if (i == 0)
      pass(11s);
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "failed");
  CHECK(outcomes[1].why.text.find("three workers were lost") != std::string::npos);
  CHECK(models.asked.empty());
}

TEST_CASE_METHOD(admission_fixture, "a baseline must be right before anybody is paid to beat it") {
  set_baseline(what, {"file:production.cpp", "void kernel() { production(); }"});
  auto s = settings(12, 4);
  s.goal.baseline = baseline_kind::file;
  launch(s);
  for (unsigned tries = 0; tries < 2; ++tries) {
    REQUIRE(waiting.size() == 1);
    CHECK(*waiting[0].source == "void kernel() { production(); }");
    judge_as(on_device(tries ? verdict_state::policy_violation : verdict_state::incorrect, "wrong at [0]"));
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "failed");
  CHECK(outcomes[1].why.text.find(
            "its baseline (file:production.cpp), measured as a candidate, is policy_violation") !=
        std::string::npos);
  CHECK(models.asked.empty());
}

TEST_CASE_METHOD(admission_fixture,
                 "a problem that is known with one baseline is admitted anew with another") {
  launch(settings(4, 1));
  judge_as(on_device(verdict_state::correct));
  kill();
  set_baseline(what, {"best-known", "void kernel() { best(); }"});
  auto s = settings(4, 1);
  s.name = "again";
  s.goal.baseline = baseline_kind::best_known;
  launch(s, 2);
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == "void kernel() { best(); }");
}
