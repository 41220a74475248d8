#include "runtime/core/journal_record.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/search/lab/what_if_replay.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <set>

using namespace ke;

namespace {

recorded_outcomes outcomes_of(const std::vector<journal_record>& journal) {
  recorded_outcomes all;
  for (const auto& r : journal)
    REQUIRE(all.add(r));
  return all;
}

what_if_tree only(const result<std::vector<what_if_tree>>& r) {
  INFO((r ? "" : r.error().text));
  REQUIRE(r);
  REQUIRE(r->size() == 1);
  return r->front();
}

} // namespace

TEST_CASE("the recorded policy and seed, one at a time, take the recorded nodes in their order") {
  for (auto kind : {policy_kind::mcts, policy_kind::greedy, policy_kind::best_of_n})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      auto s = simulated_settings(seed, 120, 1);
      s.search.policy = kind;
      search_simulation live{s, hills(seed), {.seed = seed}};
      live.run();
      auto t = only(replay_policy(live.fold(), outcomes_of(live.journal()), s));
      INFO("seed " << seed << " policy " << to_text(kind));
      std::vector<std::uint32_t> recorded(live.fold().trees()[0].tree().size() - 1);
      std::iota(recorded.begin(), recorded.end(), 1);
      CHECK(t.order == recorded);
      CHECK(t.coverage() == 1);
      CHECK(t.closed == 0);
      CHECK(t.unused == 0);
      CHECK(t.stopped == "all outcomes used");
      CHECK(t.evaluations == t.recorded_evaluations);
      REQUIRE(t.replayed.size() == t.recorded.size());
      for (std::size_t i = 0; i < t.recorded.size(); ++i) {
        CHECK(t.replayed[i].node == t.recorded[i].node);
        CHECK(t.replayed[i].evaluations == t.recorded[i].evaluations);
      }
    }
}

TEST_CASE("another policy takes only recorded outcomes, each once, below the parent that it had") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    auto s = simulated_settings(seed, 200, 8);
    search_simulation live{s, hills(seed), {.seed = seed}};
    live.run();
    auto outcomes = outcomes_of(live.journal());
    for (auto kind : {policy_kind::greedy, policy_kind::best_of_n, policy_kind::mcts}) {
      auto other = s;
      other.search.policy = kind;
      other.search.exploration = 0.3;
      other.search.parallel = 1 + static_cast<std::int64_t>(seed % 4);
      other.seed = 99;
      auto t = only(replay_policy(live.fold(), outcomes, other));
      INFO("seed " << seed << " policy " << to_text(kind));
      const auto& tree = live.fold().trees()[0].tree();
      std::set<std::uint32_t> seen{0};
      for (auto n : t.order) {
        CHECK(seen.contains(tree[n].parent)); // a child comes after its parent
        CHECK(seen.insert(n).second);
        CHECK_FALSE(is_open(tree[n].state));
      }
      auto decided = std::count_if(t.order.begin(), t.order.end(), [&](auto n) {
        return tree[n].operation != operation_kind::variant && tree[n].operation != operation_kind::tune;
      });
      CHECK(t.covered() == static_cast<std::uint64_t>(decided)); // the others follow from answers
      CHECK(t.order.size() + t.unused <= tree.size() - 1);
      CHECK(t.evaluations <= t.recorded_evaluations);
      if (!t.replayed.empty()) {
        CHECK(t.replayed.back().score <= t.recorded.back().score);
        CHECK(t.evaluations_to(t.replayed.back().score) == t.replayed.back().evaluations);
      }
      CHECK_FALSE(t.evaluations_to(1e9));
    }
  }
}

TEST_CASE("best-of-n over a tree knows its drafts only, and says so") {
  auto s = simulated_settings(3, 150, 4);
  search_simulation live{s, hills(3), {.seed = 3}};
  live.run();
  auto other = s;
  other.search.policy = policy_kind::best_of_n;
  auto t = only(replay_policy(live.fold(), outcomes_of(live.journal()), other));
  CHECK(t.order.size() == live.fold().trees()[0].tree()[0].children);
  CHECK(t.closed > 0);
  CHECK(t.coverage() < 1);
  CHECK(t.stopped == "nothing left to expand");
}

TEST_CASE("a closed branch is passed over: greedy goes on with the next best") {
  auto s = simulated_settings(5, 200, 1);
  search_simulation live{s, hills(5), {.seed = 5}};
  live.run();
  auto other = s;
  other.search.policy = policy_kind::greedy;
  auto t = only(replay_policy(live.fold(), outcomes_of(live.journal()), other));
  CHECK(t.closed > 0);
  CHECK(t.order.size() > 100); // far beyond the first leaf
}

TEST_CASE("a limit of evaluations ends a run") {
  auto s = simulated_settings(5, 200, 1);
  search_simulation live{s, hills(5), {.seed = 5}};
  live.run();
  auto t = only(replay_policy(live.fold(), outcomes_of(live.journal()), s, 40));
  CHECK(t.evaluations == 40);
  CHECK(t.stopped == "evaluations");
}

TEST_CASE("each backend's tree is rerun for itself, with all its targets") {
  auto s = simulated_settings(6, 120, 1);
  s.targets = {{"cpu-cpp", "a"}, {"cpu-cpp", "b"}, {"opencl", "*"}};
  search_simulation live{s, hills(6), {.seed = 6}};
  live.run();
  auto r = replay_policy(live.fold(), outcomes_of(live.journal()), s);
  REQUIRE(r);
  REQUIRE(r->size() == 2);
  for (const auto& t : *r) {
    CHECK(t.coverage() == 1);
    CHECK(t.unused == 0);
  }
  CHECK(r->at(1).backend == "opencl");
}

TEST_CASE("what was still open when the record ends is no outcome") {
  auto s = simulated_settings(7, 200, 8);
  search_simulation live{s, hills(7), {.seed = 7}};
  for (int i = 0; i < 300; ++i)
    live.advance();
  auto open = live.fold().trees()[0].open_nodes();
  REQUIRE_FALSE(open.empty());
  auto t = only(replay_policy(live.fold(), outcomes_of(live.journal()), s));
  for (auto n : open)
    CHECK(std::find(t.order.begin(), t.order.end(), n) == t.order.end());
}
