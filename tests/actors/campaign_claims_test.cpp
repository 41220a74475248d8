#include "actors/messages/addresses.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ke;
using namespace ke::test;

namespace {

struct claims_fixture : search_fixture {
  claims_fixture() { claims = true; }

  bool claiming() const { return !waiting.empty() && waiting.front().plan == measure_plan::claim; }
  /// All candidates are answered and judged; their scores are 1.1, 1.2 ... in the order of their verdicts.
  void search() {
    double score = 1.1;
    for (int rounds = 0; rounds < 200 && !claiming() && !outcomes.contains(1); ++rounds) {
      if (!waiting.empty()) {
        judge_as(correct(score));
        score += 0.1;
      } else if (!models.open.empty()) {
        answer();
      } else {
        pass(500ms);
      }
    }
  }
  const claim_book& book() {
    kept_ = stored();
    return kept_->fold.books().claims();
  }
  static verdict noisy() {
    verdict v;
    v.state = verdict_state::noisy;
    return v;
  }

  /// Two workloads of the same weight: faster on the mean of both.
  static verdict lopsided(double wide, double tall) {
    auto v = timed(std::sqrt(wide * tall));
    v.timing->workloads = {{"wide", wide, wide * 0.99, wide * 1.01},
                           {"tall", tall, tall * 0.99, tall * 1.01}};
    return v;
  }

  /// Two workers have the first device.
  void attach_two() {
    auto c = offered("cpu-cpp", {"cpu:test"}, slots);
    c.offered_by[class_of(c.devices.front())] = {"a", "b"};
    tell(addresses::campaign(1), std::move(c));
  }
  static verdict by(const std::string& worker, verdict v) {
    v.provenance = {{"worker", worker}, {"unit", "cpu:test"}};
    return v;
  }
  /// A campaign whose first candidate's claim is about to reach its goal.
  void reach_goal() {
    auto s = settings(6, 1);
    s.goal.target_speedup = 2;
    launch(s);
    attach_two();
    answer();
    judge_as(by("a", correct(2.5)));
    REQUIRE(claiming());
  }

private:
  std::shared_ptr<stored_campaign> kept_;
};

} // namespace

TEST_CASE_METHOD(claims_fixture,
                 "when the budget is used, the best is measured again before the campaign ends") {
  launch(settings(4));
  search();
  REQUIRE(claiming());
  CHECK(waiting.size() == 1);
  CHECK_FALSE(outcomes.contains(1));
  auto node = waiting.front().node.node;
  judge_as(correct(1.45));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "finished");
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(outcomes[1].proven);
  REQUIRE(book().champion(true));
  CHECK(book().champion(true)->who.second == node);
  CHECK(book().champion(true)->search_score == Approx(1.4));
  CHECK(stored()->row.best_node == node);
  CHECK(stored()->row.best_score == Approx(1.45));
  CHECK(count_events(events, "claim") == 2);
  CHECK(acknowledged == 5);
}

TEST_CASE_METHOD(claims_fixture, "100 copies of the baseline of which some were lucky prove nothing") {
  launch(settings(4));
  search();
  for (int i = 0; i < 3; ++i) {
    REQUIRE(claiming());
    judge_as(correct(0.99));
  }
  REQUIRE(outcomes.contains(1));
  CHECK_FALSE(outcomes[1].proven);
  CHECK(book().all().size() == 3);
}

TEST_CASE_METHOD(claims_fixture, "a goal that the claim does not confirm is searched on for, and while it is "
                                 "measured nothing more is paid for") {
  auto s = settings(6, 2);
  s.search.drafts = 2;
  s.goal.target_speedup = 2;
  launch(s);
  answer();
  judge_as(correct(2.1));
  REQUIRE(claiming());
  auto asked = models.asked.size();
  while (!models.open.empty()) // what was out comes in
    answer();
  pass(5s);
  CHECK(models.asked.size() == asked);
  judge_as(correct(1.9));
  CHECK_FALSE(outcomes.contains(1));
  while (!waiting.empty())
    judge_as(correct(1.5));
  CHECK(models.asked.size() > asked);
  answer();
  judge_as(correct(2.5));
  REQUIRE(claiming());
  judge_as(correct(2.4));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "target");
  CHECK(outcomes[1].proven);
}

TEST_CASE_METHOD(claims_fixture, "a claim that decides nothing is measured three times at most") {
  launch(settings(1));
  search();
  for (int i = 0; i < 3; ++i) {
    REQUIRE(claiming());
    judge_as(noisy());
  }
  REQUIRE(outcomes.contains(1));
  CHECK_FALSE(outcomes[1].proven);
  REQUIRE(book().all().size() == 1);
  CHECK(book().all()[0].targets[0].state == verdict_state::noisy);
}

TEST_CASE_METHOD(claims_fixture, "a process that dies while a finalist is measured makes the claim anew") {
  auto s = settings(4);
  launch(s);
  search();
  REQUIRE(claiming());
  kill();
  start(1, s);
  pass(1s);
  REQUIRE(claiming());
  judge_as(correct(1.4));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  CHECK(store->count(1, journal_kind::claimed) == 1);
}

TEST_CASE_METHOD(claims_fixture, "Ctrl-C while a finalist is measured ends the session at once, resumably") {
  auto s = settings(4);
  launch(s);
  search();
  REQUIRE(claiming());
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(waiting.empty()); // the measurement was cancelled
  kill();
  outcomes.clear();
  start(1, s);
  pass(1s);
  CHECK(claiming());
}

TEST_CASE_METHOD(claims_fixture, "a person's stop does not wait for claims") {
  launch(settings(50));
  answer();
  judge_as(correct(1.5));
  CHECK(steer_to("stop").kind == failure_kind::none);
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "stopped");
  CHECK(book().all().empty());
}

TEST_CASE_METHOD(claims_fixture,
                 "a finalist that costs its workers is left out, and the next one is measured") {
  launch(settings(4));
  search();
  REQUIRE(claiming());
  auto node = waiting.front().node;
  waiting.clear();
  tell(addresses::campaign(1),
       evaluation_failed{node, node_state::poisoned, "it cost three workers", measure_plan::claim});
  REQUIRE(claiming());
  CHECK(waiting.front().node.node != node.node);
  judge_as(correct(1.3));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
}

TEST_CASE_METHOD(claims_fixture, "16.7x on one workload and 0.33x on the other is not claimed as 2.34x") {
  auto s = settings(4, 1);
  s.goal.target_speedup = 2;
  launch(s);
  for (int i = 0; i < 3; ++i) {
    answer();
    REQUIRE_FALSE(claiming());
    judge_as(lopsided(16.7, 0.33));
  }
  CHECK_FALSE(claiming()); // it is no candidate for the goal
  answer();
  judge_as(lopsided(1.6, 1.5));
  REQUIRE(claiming()); // the only one that keeps the floor, though its score is lower
  auto keeps = waiting.front().node.node;
  judge_as(lopsided(1.6, 1.5));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(outcomes[1].proven);
  CHECK(book().all().size() == 1);
  CHECK(stored()->row.best_node == keeps);
}

TEST_CASE_METHOD(claims_fixture,
                 "a held-out workload below the floor refutes the claim, and the next finalist's "
                 "turn comes") {
  what.reference = "#pragma pack(1)\nvoid kernel() {}"; // no dispatcher could fall back to it
  launch(settings(4));
  search();
  REQUIRE(claiming());
  auto v = timed(1.5);
  v.timing->workloads = {{"wide", 1.5, 1.48, 1.52}, {"secret", 0.5, 0.49, 0.51, true}};
  judge_as(v);
  REQUIRE(claiming());
  judge_as(timed(1.3));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  REQUIRE(book().all().size() == 2);
  CHECK_FALSE(book().all()[0].confirmed(true));
  CHECK(stored()->row.best_score == Approx(1.3 * 0.99));
}

TEST_CASE_METHOD(claims_fixture, "without a floor the mean of the workloads alone is claimed") {
  auto s = settings(1);
  s.goal.floor = 0;
  launch(s);
  answer();
  judge_as(lopsided(16.7, 0.33));
  REQUIRE(claiming());
  judge_as(lopsided(16.7, 0.33));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
}

TEST_CASE_METHOD(claims_fixture, "a reached goal is looked at on a second device before the campaign ends") {
  reach_goal();
  judge_as(by("a", correct(2.4)));
  CHECK_FALSE(outcomes.contains(1));
  REQUIRE(claiming());
  CHECK(waiting.front().second);
  judge_as(by("b", correct(2.3)));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "target");
  CHECK(outcomes[1].proven);
  CHECK(book().champion(true)->on_second(true) == second_look::holds);
}

TEST_CASE_METHOD(claims_fixture, "what a second device finds wrong is not proven, and the search has ended") {
  reach_goal();
  judge_as(by("a", correct(2.4)));
  REQUIRE(claiming());
  verdict wrong;
  wrong.state = verdict_state::incorrect;
  judge_as(by("b", wrong));
  REQUIRE(outcomes.contains(1));
  CHECK_FALSE(outcomes[1].proven);
}

TEST_CASE_METHOD(claims_fixture, "Ctrl-C while a second device looks ends the session at once") {
  reach_goal();
  judge_as(by("a", correct(2.4)));
  REQUIRE(claiming());
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(waiting.empty());
}
