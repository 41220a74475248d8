// Where one kernel is the best for one shape and another one for another, one candidate is put together from
// both, judged like any other, and claimed.
#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/dispatchers.hpp"
#include "runtime/search/lab/what_if_replay.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ke;
using namespace ke::test;

namespace {

struct dispatch_fixture : search_fixture {
  dispatch_fixture() {
    claims = true;
    what.workloads = {{"big", {{"N", 100000}}, 1.0, false},
                      {"small", {{"N", 10}}, 1.0, false},
                      {"secret", {{"N", 3000}}, 1.0, true}};
    what.reference = "extern \"C\" void kernel() {}\n";
  }

  static verdict on(double big, double small) {
    auto v = timed(std::sqrt(big * small));
    v.timing->workloads = {{"big", big, big * 0.99, big * 1.01},
                           {"small", small, small * 0.99, small * 1.01}};
    return v;
  }
  /// The next request is for the claim of somebody.
  bool claiming() const { return !waiting.empty() && waiting.front().plan == measure_plan::claim; }
  bool dispatched() const {
    return !waiting.empty() && waiting.front().plan == measure_plan::rank &&
           waiting.front().source->starts_with(dispatcher_mark);
  }
  static campaign_settings two_drafts() {
    auto s = settings(2, 1);
    s.search.drafts = 2;
    return s;
  }
  /// Two candidates: the first one is fast on `big` alone.
  void search_two(const verdict& first, const verdict& second) {
    launch(two_drafts());
    answer();
    judge_as(first);
    answer();
    judge_as(second);
  }
  const search_tree& tree() {
    kept_ = stored();
    return kept_->fold.trees()[0];
  }
  std::string hash() {
    kept_ = stored();
    return kept_->fold.hash();
  }

private:
  std::shared_ptr<stored_campaign> kept_;
};

} // namespace

TEST_CASE_METHOD(dispatch_fixture,
                 "the best of each shape become one candidate - which is judged and claimed") {
  search_two(on(16.7, 0.33), on(1.2, 3));
  REQUIRE(dispatched());
  const auto& source = *waiting.front().source;
  CHECK(source.find("N 50000..200000 (workload big): node 1") != std::string::npos);
  CHECK(source.find("N 5..20 (workload small): node 2") != std::string::npos);
  CHECK(source.find("every other shape: the reference") != std::string::npos);
  CHECK(waiting.size() == 1);
  auto node = waiting.front().node.node;
  judge_as(on(16, 2.9));
  REQUIRE(claiming());
  CHECK(waiting.front().node.node == node);
  judge_as(on(16, 2.9));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  auto kept = stored();
  CHECK(kept->row.best_node == node);
  CHECK(kept->row.tuned == 1); // no candidate of the budget
  const auto& index = kept->fold.trees()[0].tree();
  CHECK(index.size() == 4);
  CHECK(is_dispatcher(index[node]));
  CHECK(index.parents(node) == std::vector<std::uint32_t>{1, 2});
  CHECK(kept->fold.books().money().spent().candidates == 2);
  auto row = *store->row<node_row>(table::nodes, key_of(1, 0, node));
  CHECK(row.parents == index.parents(node));
  CHECK(row.note == "dispatcher: node 1 for big, node 2 for small, the reference for every other shape");
  CHECK(row.model.empty());
}

TEST_CASE_METHOD(dispatch_fixture,
                 "a goal that is reached stays reached - and the best of each shape become one candidate") {
  auto s = settings(3, 1);
  s.search.drafts = 2;
  s.goal.target_speedup = 1.5;
  launch(s);
  answer();
  judge_as(on(16.7, 0.33)); // below the floor on one: no goal
  answer();
  judge_as(on(1.2, 3));
  REQUIRE(claiming());
  judge_as(on(1.2, 3));
  REQUIRE(dispatched());
  auto ends_as = [&](std::uint32_t winner) {
    REQUIRE(outcomes.contains(1));
    CHECK(outcomes[1].proven);
    auto kept = stored();
    CHECK(kept->row.stop_reason == "target");
    CHECK(kept->row.best_node == winner);
    CHECK(kept->fold.trees()[0].tree().size() == 4); // nobody was asked for a third candidate
  };
  SECTION("which is claimed where it is better") {
    judge_as(on(16, 2.9));
    REQUIRE(claiming());
    judge_as(on(16, 2.9));
    ends_as(3);
  }
  SECTION("and leaves the claim as it is where it is not") {
    judge_as(on(1.1, 1.1));
    CHECK_FALSE(claiming()); // no other finalist's turn comes either
    ends_as(2);
  }
}

TEST_CASE_METHOD(dispatch_fixture, "one template fills its parameters by shape where its points differ") {
  launch(settings(1, 1));
  answer_with(
      "Tile.\n```cpp\n// ke-param: TILE = 4 | 16\nextern \"C\" void kernel() { int t = TILE; }\n```\n");
  judge_as(on(16, 0.4));
  REQUIRE(waiting.size() == 1); // the other point
  judge_as(on(0.5, 3));
  REQUIRE(dispatched());
  const auto& source = *waiting.front().source;
  CHECK(source.find("(workload big): node 1") != std::string::npos);
  CHECK(source.find("(workload small): node 2") != std::string::npos);
  auto four = source.find("#define TILE 4\n"), sixteen = source.find("#define TILE 16\n");
  CHECK(four != std::string::npos);
  CHECK((sixteen != std::string::npos && four < sixteen));
  judge_as(on(16, 3));
  judge_as(on(16, 3));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
}

TEST_CASE_METHOD(dispatch_fixture, "a winner below the floor on one workload leaves that to the reference") {
  search_two(on(16.7, 0.33), on(0.9, 0.8));
  REQUIRE(dispatched());
  const auto& source = *waiting.front().source;
  CHECK(source.find("(workload big): node 1") != std::string::npos);
  CHECK(source.find("workload small") == std::string::npos);
  judge_as(on(16.7, 1));
  REQUIRE(claiming());
  judge_as(on(16.7, 1));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  CHECK(tree().tree().parents(3) == std::vector<std::uint32_t>{1});
}

TEST_CASE_METHOD(dispatch_fixture, "a candidate that nobody beats anywhere needs no dispatcher") {
  search_two(on(2, 3), on(2.05, 2.9)); // not further apart than what counts as the same
  REQUIRE(claiming());
  judge_as(on(2, 3));
  REQUIRE(outcomes.contains(1));
  CHECK(tree().tree().size() == 3);
}

TEST_CASE_METHOD(dispatch_fixture, "kernels that can't stand in one source cost the campaign nothing") {
  launch(two_drafts());
  answer_with("Faster.\n```cpp\n#pragma pack(1)\nextern \"C\" void kernel() { int once = 1; }\n```\n");
  judge_as(on(16.7, 0.33));
  answer();
  judge_as(on(1.2, 3));
  REQUIRE(claiming());
  judge_as(on(1.2, 3));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  CHECK(tree().tree().size() == 3);
}

TEST_CASE_METHOD(dispatch_fixture, "a dispatcher that does not build leaves the claim to the next finalist") {
  search_two(on(16.7, 0.33), on(1.2, 3));
  REQUIRE(dispatched());
  verdict broken;
  broken.state = verdict_state::build_failed;
  judge_as(broken);
  REQUIRE(claiming());
  CHECK(waiting.front().node.node == 2);
  judge_as(on(1.2, 3));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
}

TEST_CASE_METHOD(dispatch_fixture,
                 "a dispatcher that was being judged when the process died is judged after it") {
  search_two(on(16.7, 0.33), on(1.2, 3));
  REQUIRE(dispatched());
  kill();
  start(1, two_drafts());
  for (int i = 0; i < 10 && waiting.empty(); ++i)
    pass(500ms);
  REQUIRE(dispatched());
  judge_as(on(16, 2.9));
  REQUIRE(claiming());
  kill(); // the claim is made anew, the dispatcher is not
  start(1, two_drafts());
  for (int i = 0; i < 10 && waiting.empty(); ++i)
    pass(500ms);
  REQUIRE(claiming());
  judge_as(on(16, 2.9));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  CHECK(tree().tree().count(node_state::correct) == 3);
  CHECK(hash() == hash());
}

TEST_CASE_METHOD(dispatch_fixture,
                 "a held-out workload below the floor leaves the winner its own shapes alone") {
  search_two(on(4, 3), on(2, 2));
  REQUIRE(claiming());
  CHECK(waiting.front().node.node == 1);
  auto slow_elsewhere = on(4, 3);
  slow_elsewhere.timing->workloads.push_back({"secret", 0.5, 0.49, 0.51, true});
  judge_as(slow_elsewhere);
  REQUIRE(dispatched());
  const auto& source = *waiting.front().source;
  CHECK(source.find("N 100000 (workload big): node 1") != std::string::npos);
  CHECK(source.find("N 10 (workload small): node 1") != std::string::npos);
  CHECK(source.find("3000") == std::string::npos); // nothing tells it the held-out shape
  judge_as(on(3.9, 1));                            // before node 2, whose mean is higher
  REQUIRE(claiming());
  CHECK(waiting.front().node.node == 3);
  judge_as(on(3.9, 2.9));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].proven);
  auto kept = stored();
  CHECK(kept->row.best_node == 3);
  CHECK(store->row<node_row>(table::nodes, key_of(1, 0, 3))->note ==
        "dispatcher: node 1 for big alone, node 1 for small alone, the reference for every other shape");
  CHECK(kept->fold.trees()[0].tree().parents(3) == std::vector<std::uint32_t>{1});
}

TEST_CASE_METHOD(dispatch_fixture,
                 "a dispatcher that its claim finds below the floor gets one more - exact - try") {
  search_two(on(16.7, 0.33), on(1.2, 3));
  REQUIRE(dispatched());
  judge_as(on(16, 2.9));
  REQUIRE(claiming());
  auto slow_elsewhere = on(16, 2.9);
  slow_elsewhere.timing->workloads.push_back({"secret", 0.5, 0.49, 0.51, true});
  judge_as(slow_elsewhere);
  REQUIRE(dispatched());
  CHECK(waiting.front().source->find("N 10 (workload small): node 2") != std::string::npos);
  judge_as(on(15.9, 2.8));
  REQUIRE(claiming());
  CHECK(waiting.front().node.node == 4);
  judge_as(slow_elsewhere); // whatever it is: there is no third one
  CHECK_FALSE(dispatched());
  confirm(on(1.2, 3));
  REQUIRE(outcomes.contains(1));
  CHECK(tree().tree().size() == 5);
}

TEST_CASE_METHOD(dispatch_fixture, "what-if knows of no dispatcher: no policy comes to it") {
  search_two(on(16.7, 0.33), on(1.2, 3));
  REQUIRE(dispatched());
  judge_as(on(16, 2.9));
  judge_as(on(16, 2.9));
  REQUIRE(outcomes.contains(1));
  auto kept = stored();
  recorded_outcomes outcomes_of;
  REQUIRE(store->journal(1, 0, [&](std::uint64_t, const journal_record& r) {
    REQUIRE(outcomes_of.add(r));
    return true;
  }));
  auto trees = replay_policy(kept->fold, outcomes_of, kept->fold.books().settings());
  REQUIRE(trees);
  CHECK(trees->front().recorded_evaluations == 2);
  CHECK(trees->front().order == std::vector<std::uint32_t>{1, 2});
}
