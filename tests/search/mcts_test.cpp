#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/policy/arms.hpp"
#include "runtime/search/policy/mcts.hpp"
#include "tests/search/driven_core.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;

namespace {

/// The formula, applied to every node that works: what the index must agree with.
std::optional<std::uint32_t> brute_force(const tree_index& tree, const puct_rules& rules) {
  for (auto wanted : {puct_rules::rest::open, puct_rules::rest::widened}) {
    std::optional<std::uint32_t> winner;
    double worth = 0;
    std::uint32_t least = 0;
    for (std::uint32_t n = 1; n < tree.size(); ++n) {
      if (!is_usable(tree[n].state) || rules.standing_of(tree, n) != wanted)
        continue;
      auto priority = static_cast<float>(puct_rules::priority_of(tree, n));
      std::size_t above = 0;
      for (std::uint32_t o = 1; o < tree.size(); ++o)
        if (tree[o].state == node_state::correct) {
          auto other = static_cast<float>(tree[o].score);
          above += other > priority || (rules.exploration == 0 && other == priority && o < n);
        }
      auto k = count_of(bucket_of(rules.k_of(tree[n])));
      auto w = rank_worth(above) + rules.exploration / (1.0 + k);
      auto key = rank_key(priority, n);
      auto better =
          !winner || w > worth ||
          (w == worth &&
           (k < least || (k == least && key > rank_key(puct_rules::priority_of(tree, *winner), *winner))));
      if (better) {
        winner = n;
        worth = w;
        least = k;
      }
    }
    if (winner)
      return winner;
  }
  return std::nullopt;
}

} // namespace

TEST_CASE("the index chooses what the formula, applied to every node, chooses", "[costly]") {
  for (double exploration : {0.0, 0.3, 1.0, 5.0}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      auto s = simulated_settings(seed);
      s.search.exploration = exploration;
      s.search.restart = 0;
      auto core = core_of(s);
      puct_rules rules{.exploration = exploration, .drafts = 8};
      auto world = hills(seed);
      random_source random{seed};
      std::vector<std::uint32_t> open;
      int improved = 0, fixed = 0;
      for (int i = 0; i < 600; ++i) {
        if (open.size() < 12 && random.uniform() < 0.6) {
          auto expected = brute_force(core.tree(), rules);
          auto drafting = core.tree()[0].children < 8;
          auto made = core.step(1);
          if (made.empty()) {
            REQUIRE_FALSE(drafting);
            REQUIRE_FALSE(expected);
            continue;
          }
          open.push_back(made[0].node);
          if (made[0].operation == operation_kind::improve) {
            REQUIRE(expected);
            REQUIRE(made[0].parent == *expected);
            ++improved;
          } else if (made[0].operation == operation_kind::fix) {
            REQUIRE(is_fixable(core.tree()[made[0].parent].state));
            ++fixed;
          }
        } else if (!open.empty()) {
          auto at = random.below(open.size());
          auto node = open[at];
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
          if (random.uniform() < 0.1) {
            REQUIRE(core.apply(journal_ended{0, node, node_state::unanswered, "no code"}));
          } else {
            auto o = world(core, node, random);
            judge(core, node, o.state, o.score);
          }
        }
      }
      CHECK(improved > 150);
      if (exploration > 0)
        CHECK(fixed > 3);
    }
  }
}

TEST_CASE("exactly `drafts` children of the root come first, even when more is asked for at once") {
  auto s = simulated_settings(3);
  s.search.drafts = 8;
  auto core = core_of(s);
  auto made = core.step(100);
  REQUIRE(made.size() == 8);
  for (std::uint32_t i = 0; i < 8; ++i) {
    CHECK(made[i].parent == 0);
    CHECK(made[i].draft == i);
    CHECK(made[i].operation == operation_kind::draft);
    CHECK(made[i].memory == memory_kind::clean);
    CHECK(core.expansion_of(made[i].node).draft == i);
    CHECK(core.expansion_of(made[i].node).seed == made[i].seed);
  }
  CHECK(core.step(5).empty()); // nothing to build on yet
  judge(core, made[2].node, verdict_state::correct, 0.7);
  auto next = core.step(20); // one usable node: all credit goes there
  REQUIRE(next.size() == 20);
  for (const auto& e : next)
    CHECK(e.parent == made[2].node);
  CHECK(core.tree()[0].children == 8);
}

TEST_CASE("a branch whose children all fail is left after a bounded number of expansions") {
  auto s = simulated_settings(1);
  s.search.drafts = 2;
  auto core = core_of(s);
  auto drafts = core.step(2);
  auto trap = drafts[0].node, plain = drafts[1].node;
  judge(core, trap, verdict_state::correct, 3.0);
  judge(core, plain, verdict_state::correct, 1.0);
  int trapped = 0, spent = 0;
  for (; spent < 100; ++spent) {
    auto e = core.step(1).at(0);
    if (e.parent == plain)
      break;
    trapped += e.parent == trap;
    judge(core, e.node, verdict_state::build_failed, 0);
  }
  CHECK(trapped <= 40);
  CHECK(spent < 60);
}

TEST_CASE("a failed node is repaired in a chain of bounded length") {
  auto s = simulated_settings(1);
  s.search.drafts = 1;
  auto core = core_of(s);
  auto node = core.step(1).at(0).node;
  for (std::uint32_t i = 1; i <= fix_chain; ++i) {
    judge(core, node, verdict_state::crashed, 0);
    auto e = core.step(1).at(0);
    CHECK(e.operation == operation_kind::fix);
    CHECK(e.parent == node);
    node = e.node;
  }
  judge(core, node, verdict_state::crashed, 0);
  auto again = core.step(1).at(0);
  CHECK(again.operation == operation_kind::draft); // nothing is left but a new start
  judge(core, again.node, verdict_state::cheating_suspected, 0);
  CHECK(core.step(1).at(0).operation == operation_kind::draft); // a cheat is not repaired
}

TEST_CASE("without exploration mcts is greedy, and greedy always builds on the best") {
  auto s = simulated_settings(5);
  auto g = s;
  s.search.exploration = 0;
  g.search.policy = policy_kind::greedy;
  g.search.exploration = 1;
  auto a = core_of(s), b = core_of(g);
  auto world = hills(9);
  random_source ra{1}, rb{1};
  for (int i = 0; i < 200; ++i) {
    auto x = a.step(1).at(0), y = b.step(1).at(0);
    REQUIRE(x.parent == y.parent);
    if (i >= 8 && a.tree().best() != 0)
      REQUIRE(x.parent == a.tree().best());
    auto o = world(a, x.node, ra), p = world(b, y.node, rb);
    judge(a, x.node, o.state, o.score);
    judge(b, y.node, p.state, p.score);
  }
}

TEST_CASE("more exploration spreads the expansions over more nodes") {
  auto expanded = [](double exploration) {
    auto s = simulated_settings(4);
    s.search.exploration = exploration;
    s.search.restart = 0;
    auto core = core_of(s);
    for (int i = 0; i < 300; ++i) {
      auto e = core.step(1).at(0);
      judge(core, e.node, verdict_state::correct, 1.0 / (1 + e.node)); // no child is ever better
    }
    std::uint32_t nodes = 0, most = 0;
    for (std::uint32_t n = 1; n < core.tree().size(); ++n) {
      nodes += core.tree()[n].children > 0;
      most = std::max(most, core.tree()[n].children);
    }
    return std::pair{nodes, most};
  };
  auto none = expanded(0), some = expanded(1), much = expanded(1000);
  CHECK(none.first == 1);
  CHECK(some.first >= 3);
  CHECK(much.first > some.first);
  CHECK(much.second == 1); // uniform: every node once
}

TEST_CASE("best-of-n makes drafts only") {
  auto s = simulated_settings(1);
  s.search.policy = policy_kind::best_of_n;
  auto core = core_of(s);
  auto made = core.step(50);
  REQUIRE(made.size() == 50);
  CHECK(std::all_of(made.begin(), made.end(), [](const auto& e) { return e.parent == 0; }));
}

TEST_CASE("weights give each model its share even over short runs") {
  auto s = simulated_settings(8); // small : large = 3 : 1
  s.search.policy = policy_kind::best_of_n;
  auto core = core_of(s);
  int large = 0;
  for (int i = 1; i <= 400; ++i) {
    large += core.step(1).at(0).model == "large";
    REQUIRE(std::abs(large - i / 4.0) < 4);
  }
  CHECK(std::abs(large - 100) < 4);
}

TEST_CASE("ranks agree with a sorted list") {
  rank_index index;
  std::vector<std::uint64_t> sorted;
  random_source random{11};
  for (std::uint32_t i = 0; i < 5000; ++i) {
    auto key = rank_key(i % 3 ? random.uniform() * 4 : 0.01 * i, i);
    index.insert(key);
    sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), key), key);
    if (i % 97 == 0)
      for (auto probe : {key, key + 1, sorted.front(), sorted.back() + 1})
        REQUIRE(
            index.rank(probe) ==
            static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), probe) - sorted.begin()));
  }
  CHECK(index.size() == 5000);
  CHECK(rank_key(1.5, 3) > rank_key(1.5, 4)); // of equals, the older is better
  CHECK(node_of(rank_key(2, 77)) == 77);
}
