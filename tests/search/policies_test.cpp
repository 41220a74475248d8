#include "runtime/core/journal.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/policy/evolution.hpp"
#include "runtime/search/policy/mcts.hpp"
#include "runtime/search/policy/new_starts.hpp"
#include "tests/search/driven_core.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

using namespace ke;

namespace {

campaign_settings with(policy_kind policy, std::uint64_t seed = 1) {
  auto s = simulated_settings(seed);
  s.search.policy = policy;
  return s;
}

journal_replied answer_of_kind(std::uint32_t node, std::uint32_t kind) {
  journal_replied answer;
  answer.node = node;
  answer.descriptor = kind;
  return answer;
}

/// One node after the other, their outcomes from hills.
void grow(search_tree& core, int nodes, std::uint64_t seed = 3) {
  auto world = hills(seed);
  random_source random{seed};
  for (int i = 0; i < nodes; ++i) {
    auto e = core.step(1).at(0);
    auto o = world(core, e.node, random);
    judge(core, e.node, o.state, o.score);
  }
}

/// An evolution policy beside a tree of its own, so that its islands can be looked at.
struct population {
  search_settings settings;
  tree_index tree;
  evolution policy;
  random_source random{5};
  explicit population(search_settings s) : settings{s}, policy{s} {}

  std::uint32_t step() {
    auto choice = policy.select(tree, random);
    REQUIRE(choice);
    auto node = tree.add_child(choice->parent, choice->operation, choice->parent2);
    policy.added(tree, node);
    return node;
  }
  void end(std::uint32_t node, node_state state, double score) {
    tree.judge(node, 0, state, timing_decision::none, score);
    policy.ended(tree, node);
  }
};

search_settings small_islands() {
  search_settings s;
  s.policy = policy_kind::evolution;
  s.drafts = 4;
  s.population = 6;
  s.restart = 12;
  s.islands = 3;
  return s;
}

} // namespace

TEST_CASE("evolution: a child's first parent is of its island, its second one also the best of another, and "
          "only migrants are members elsewhere") {
  population p{small_islands()};
  random_source luck{11};
  std::set<std::uint32_t> migrants;
  std::size_t most_islands = 0;
  int crossed = 0;
  for (int i = 0; i < 800; ++i) {
    auto node = p.step();
    auto home = p.policy.home_of(node);
    REQUIRE(home != no_node);
    const auto& here = p.policy.islands()[home];
    auto is_here = [&](std::uint32_t n) {
      return std::find(here.members.begin(), here.members.end(), n) != here.members.end() ||
             std::any_of(here.cells.begin(), here.cells.end(), [&](const auto& c) { return c.second == n; });
    };
    if (p.tree[node].operation == operation_kind::improve) {
      REQUIRE(is_here(p.tree[node].parent));
      if (auto second = p.tree.parent2(node); second != no_node && !is_here(second)) {
        ++crossed;
        REQUIRE(std::any_of(p.policy.islands().begin(), p.policy.islands().end(), [&](const auto& island) {
          return !island.members.empty() && island.members.front() == second;
        }));
      }
    }
    p.tree.describe(node, static_cast<std::uint32_t>(1 + luck.below(5)));
    p.end(node, luck.uniform() < 0.8 ? node_state::correct : node_state::crashed, luck.uniform());
    for (std::uint32_t k = 0; k < p.policy.islands().size(); ++k)
      for (auto m : p.policy.islands()[k].members)
        if (p.policy.home_of(m) != k)
          migrants.insert(m);
    most_islands = std::max(most_islands, p.policy.islands().size());
  }
  CHECK(most_islands == 3);
  CHECK(crossed > 20);
  CHECK_FALSE(migrants.empty());
}

TEST_CASE("evolution: the population cap and the cells hold, and a cell keeps its best") {
  population p{small_islands()};
  random_source luck{2};
  for (int i = 0; i < 300; ++i) {
    auto node = p.step();
    p.tree.describe(node, static_cast<std::uint32_t>(1 + luck.below(3)));
    p.end(node, node_state::correct, luck.uniform());
    for (const auto& island : p.policy.islands()) {
      REQUIRE(island.members.size() <= 6);
      REQUIRE(island.cells.size() <= 3);
      REQUIRE(std::is_sorted(island.members.begin(), island.members.end(),
                             [&](auto a, auto b) { return p.tree[a].score > p.tree[b].score; }));
      for (auto m : island.members) {
        auto cell = island.cells.find(p.tree.descriptor(m));
        REQUIRE(cell != island.cells.end());
        REQUIRE(p.tree[cell->second].score >= p.tree[m].score);
      }
    }
  }
}

TEST_CASE("evolution where nothing can be timed comes to build on all members, not on the youngest alone") {
  auto s = small_islands();
  s.restart = 0; // no other island
  s.crossover = 0;
  population p{s};
  int others = 0, late = 0;
  for (std::uint32_t i = 0; i < 3 * least_wait; ++i) {
    auto node = p.step();
    const auto& members = p.policy.islands().front().members;
    if (i >= 2 * least_wait) {
      ++late;
      others += p.tree[node].parent != members.front();
    }
    p.end(node, node_state::compiled, -1);
  }
  CHECK(others > late / 2);
}

TEST_CASE("evolution makes children of two parents, and the graph has no cycle") {
  auto core = core_of(with(policy_kind::evolution));
  grow(core, 400);
  int two = 0;
  for (std::uint32_t n = 1; n < core.tree().size(); ++n)
    for (auto parent : core.tree().parents(n)) {
      CHECK(parent < n); // older, so there is no way back
      two += parent == core.tree().parent2(n);
    }
  CHECK(two > 20);
}

TEST_CASE("evolution without crossover has one parent each") {
  auto s = with(policy_kind::evolution);
  s.search.crossover = 0;
  auto core = core_of(s);
  grow(core, 200);
  for (std::uint32_t n = 1; n < core.tree().size(); ++n)
    CHECK(core.tree().parent2(n) == no_node);
}

TEST_CASE("a stall opens a new island with drafts of its own, and the first goes on meanwhile") {
  population p{small_islands()};
  std::vector<std::uint32_t> drafts;
  for (int i = 0; i < 4; ++i)
    drafts.push_back(p.step());
  for (auto d : drafts)
    p.end(d, node_state::correct, 1);
  int before = 0;
  while (p.policy.islands().size() == 1 && before < 100) {
    p.end(p.step(), node_state::correct, 0.5);
    ++before;
  }
  REQUIRE(p.policy.islands().size() == 2);
  CHECK(before >= 9); // three of the four drafts were no gain either
  int more_drafts = 0;
  for (int i = 0; i < 30; ++i) {
    auto node = p.step();
    more_drafts += p.tree[node].operation == operation_kind::draft;
    p.end(node, node_state::correct, 0.5);
  }
  CHECK(more_drafts >= 3);
}

TEST_CASE("policies of populations repair what failed only while nothing works") {
  for (auto kind : {policy_kind::evolution, policy_kind::beam}) {
    auto s = with(kind);
    s.search.drafts = 2;
    auto core = core_of(s);
    auto drafts = core.step(2);
    judge(core, drafts[0].node, verdict_state::crashed, 0);
    judge(core, drafts[1].node, verdict_state::incorrect, 0);
    auto fix = core.step(1).at(0);
    CHECK(fix.operation == operation_kind::fix);
    CHECK(fix.parent == drafts[1].node); // the latest first
    judge(core, fix.node, verdict_state::correct, 1);
    for (int i = 0; i < 5; ++i) {
      auto e = core.step(1).at(0);
      CHECK(e.operation != operation_kind::fix);
      judge(core, e.node, verdict_state::crashed, 0);
    }
  }
}

TEST_CASE("where nothing works and nothing can be mended, every policy begins anew") {
  for (auto kind : {policy_kind::mcts, policy_kind::evolution, policy_kind::beam, policy_kind::greedy}) {
    auto s = with(kind);
    s.search.drafts = 2;
    auto core = core_of(s);
    auto drafts = core.step(8);
    CHECK(drafts.size() == 2);
    CHECK(core.step(3).empty()); // wait for what is under way
    for (const auto& d : drafts)
      judge(core, d.node, verdict_state::cheating_suspected, 0);
    CHECK(core.step(1).at(0).operation == operation_kind::draft);
  }
}

TEST_CASE("the beam expands its best in turn and nothing else") {
  auto s = with(policy_kind::beam);
  s.search.drafts = 10;
  s.search.beam = 3;
  auto core = core_of(s);
  auto drafts = core.step(10);
  for (const auto& d : drafts)
    judge(core, d.node, verdict_state::correct, 1.0 + d.node);
  std::map<std::uint32_t, int> expanded;
  for (const auto& e : core.step(30))
    ++expanded[e.parent];
  REQUIRE(expanded.size() == 3);
  for (const auto& [node, times] : expanded) {
    CHECK(node > drafts[6].node);
    CHECK(times == 10);
  }
}

TEST_CASE("a node that repeats an earlier candidate is never expanded") {
  for (auto kind : {policy_kind::mcts, policy_kind::evolution, policy_kind::beam, policy_kind::greedy}) {
    auto s = with(kind);
    s.search.drafts = 2;
    auto core = core_of(s);
    auto drafts = core.step(2);
    judge(core, drafts[0].node, verdict_state::correct, 2);
    judge(core, drafts[1].node, verdict_state::correct, 2, drafts[0].node);
    for (int i = 0; i < 20; ++i) {
      auto e = core.step(1).at(0);
      CHECK(e.parent == drafts[0].node);
      CHECK(e.parent2 == no_node);
      judge(core, e.node, verdict_state::correct, 2, drafts[0].node);
    }
  }
}

TEST_CASE("every policy that climbs makes a new start after a stall, and comes back to the old branch") {
  for (auto s : {with(policy_kind::mcts), with(policy_kind::beam), with(policy_kind::greedy)}) {
    INFO(to_text(s.search.policy));
    s.search.drafts = 2;
    s.search.restart = 20;
    auto core = core_of(s);
    auto drafts = core.step(2);
    for (const auto& d : drafts)
      judge(core, d.node, verdict_state::correct, 3);
    int until = 0, new_drafts = 0, old = 0, fresh = 0;
    for (int i = 0; i < 120; ++i) {
      auto e = core.step(1).at(0);
      if (e.operation == operation_kind::draft && new_drafts++ == 0)
        until = i;
      auto is_old = core.tree().draft_of(e.node) <= drafts[1].node;
      old += new_drafts > 0 && is_old;
      fresh += e.operation != operation_kind::draft && !is_old;
      judge(core, e.node, verdict_state::correct, 1);
    }
    CHECK(until >= 18);
    CHECK(until <= 24);
    CHECK(new_drafts >= 2);
    CHECK(fresh > 10); // although none is as good as the old ones
    CHECK(old > 10);
  }
  for (auto s : {with(policy_kind::mcts), with(policy_kind::beam), with(policy_kind::greedy)}) {
    s.search.drafts = 2;
    s.search.restart = 0;
    auto never = core_of(s);
    grow(never, 300);
    CHECK(never.tree()[0].children == 2);
  }
}

TEST_CASE("after a stall uct enters new drafts alone until these have stalled, too") {
  auto longest_line = [](std::int64_t restart) {
    auto s = with(policy_kind::mcts);
    s.search.rule = tree_rule_kind::uct;
    s.search.drafts = 2;
    s.search.restart = restart;
    auto core = core_of(s);
    for (const auto& d : core.step(2))
      judge(core, d.node, verdict_state::correct, 3);
    int longest = 0, line = 0;
    std::uint32_t first = 0; // of the two youngest drafts
    for (int i = 0; i < 120; ++i) {
      auto e = core.step(1).at(0);
      if (auto draft = core.tree().draft_of(e.node); draft > first + 1 || first == 0)
        first = draft, line = 0;
      longest = std::max(longest, core.tree().draft_of(e.node) >= first ? ++line : line = 0);
      judge(core, e.node, verdict_state::correct, 1);
    }
    return longest;
  };
  CHECK(longest_line(20) >= 20); // least_wait_of_start
  CHECK(longest_line(0) < 10);
}

TEST_CASE("a beam keeps different ideas: one kind of candidate, or one draft's line, holds half of the "
          "places at most") {
  auto s = with(policy_kind::beam);
  s.search.drafts = 12;
  s.search.beam = 4;
  s.search.restart = 0;
  for (bool kinds : {true, false}) {
    auto core = core_of(s);
    auto drafts = core.step(12);
    std::vector<std::uint32_t> line;
    for (const auto& d : drafts) {
      auto first = d.node <= drafts[7].node; // the eight best are of one kind
      if (kinds)
        REQUIRE(core.apply(answer_of_kind(d.node, first ? 5 : 9)));
      judge(core, d.node, verdict_state::correct, 30.0 - d.node);
    }
    std::map<std::uint32_t, int> expanded;
    for (const auto& e : core.step(40))
      ++expanded[e.parent];
    CHECK(expanded.size() == 4);
    int others = 0;
    for (const auto& [node, times] : expanded)
      others += node > drafts[7].node;
    CHECK(others == (kinds ? 2 : 0)); // each draft is an idea of its own, so the best four stay
  }
}

TEST_CASE("a beam of one idea is as wide as one of many") {
  auto s = with(policy_kind::beam);
  s.search.drafts = 1;
  s.search.beam = 4;
  s.search.restart = 0;
  auto core = core_of(s);
  judge(core, core.step(1).at(0).node, verdict_state::correct, 2);
  for (const auto& e : core.step(10))
    judge(core, e.node, verdict_state::correct, 2.0 + e.node);
  std::set<std::uint32_t> expanded;
  for (const auto& e : core.step(20))
    expanded.insert(e.parent);
  CHECK(expanded.size() == 4);
}

TEST_CASE("a campaign that may stall for N candidates makes its new start after half of them") {
  auto s = with(policy_kind::mcts);
  s.search.drafts = 1;
  s.budget.stall_candidates = 20;
  auto core = core_of(s);
  judge(core, core.step(1).at(0).node, verdict_state::correct, 3);
  int until = 0;
  for (; until < 20; ++until) {
    auto e = core.step(1).at(0);
    if (e.operation == operation_kind::draft)
      break;
    judge(core, e.node, verdict_state::correct, 1);
  }
  CHECK(until == 10);
}

// -- UCT ------------------------------------------------------------------------------------------

namespace {

/// The published formula over a tree of plain structs, with nothing shared but the rules of widening.
struct reference_uct {
  struct node {
    int parent = -1;
    std::vector<int> children;
    double sum = 0, best = 0, own = 0;
    int n = 0;
  };
  std::vector<node> nodes{node{}};
  double c, least = 1, most = 0;
  bool mean;
  int drafts;

  double value(int i) const {
    if (most <= least)
      return 0.5;
    auto q = mean ? nodes[i].sum / nodes[i].n : nodes[i].best;
    return (q - least) / (most - least);
  }
  int select() const {
    int i = 0;
    for (;;) {
      auto room = uct_widening * std::sqrt(std::max(nodes[i].n, 1));
      if (static_cast<double>(nodes[i].children.size()) < (i == 0 ? std::max<double>(drafts, room) : room))
        return i;
      int best = -1;
      double worth = 0;
      for (auto k : nodes[i].children)
        if (auto w = value(k) + c * std::sqrt(std::log(std::max(nodes[i].n, 1)) / nodes[k].n);
            best < 0 || w > worth) {
          best = k;
          worth = w;
        }
      i = best;
    }
  }
  void add(int parent, double reward) {
    auto id = static_cast<int>(nodes.size());
    nodes.push_back({parent, {}, 0, 0, reward, 0});
    nodes[parent].children.push_back(id);
    least = std::min(least, reward);
    most = std::max(most, reward);
    for (auto i = id; i >= 0; i = nodes[i].parent) {
      nodes[i].sum += reward;
      nodes[i].best = std::max(nodes[i].best, reward);
      ++nodes[i].n;
    }
  }
};

} // namespace

TEST_CASE("uct visits what a reference implementation visits, with mean and with max backup") {
  for (auto backup : {backup_kind::mean, backup_kind::max})
    for (double c : {0.0, 0.5, 1.4}) {
      auto s = with(policy_kind::mcts);
      s.search.rule = tree_rule_kind::uct;
      s.search.backup = backup;
      s.search.exploration = c;
      s.search.drafts = 4;
      s.search.restart = 0; // the rule alone, as published
      s.goal.target_speedup = 8;
      auto core = core_of(s);
      reference_uct reference{.c = c, .mean = backup == backup_kind::mean, .drafts = 4};
      random_source random{17};
      for (int i = 0; i < 400; ++i) {
        auto e = core.step(1).at(0);
        REQUIRE(static_cast<int>(e.parent) == reference.select());
        // A tree with a known best leaf: the branch of the second draft, and there the third child of each
        // node.
        auto good = core.tree().draft_of(e.node) == 2;
        auto score = std::exp2((good ? 1.5 : 1.0) + random.uniform());
        judge(core, e.node, verdict_state::correct, score);
        auto own = static_cast<double>(static_cast<float>(score));
        reference.add(static_cast<int>(e.parent), backup == backup_kind::mean
                                                      ? reward_of(node_state::correct, score, 8)
                                                      : reward_of(node_state::correct, own, 8));
      }
      for (std::uint32_t n = 0; n < core.tree().size(); ++n)
        CHECK(static_cast<int>(core.tree()[n].visits) == reference.nodes[n].n);
    }
}

TEST_CASE("uct goes on while answers are out, and spreads over the branches") {
  auto s = with(policy_kind::mcts);
  s.search.rule = tree_rule_kind::uct;
  s.search.drafts = 4;
  auto core = core_of(s);
  for (const auto& d : core.step(4))
    judge(core, d.node, verdict_state::correct, 2);
  std::map<std::uint32_t, int> branches;
  for (const auto& e : core.step(40))
    ++branches[core.tree().draft_of(e.node)];
  for (std::uint32_t d = 1; d <= 4; ++d)
    CHECK(branches[d] >= 3);
}

TEST_CASE("with a ramp, four are in flight at first and one more for each so many that have ended") {
  auto kind = GENERATE(policy_kind::mcts, policy_kind::evolution, policy_kind::beam, policy_kind::best_of_n);
  INFO(to_text(kind));
  auto s = with(kind);
  s.search.drafts = 2;
  s.search.ramp = 5;
  auto core = core_of(s);
  std::vector<std::uint32_t> open;
  auto fill = [&] {
    for (const auto& e : core.step(64))
      open.push_back(e.node);
  };
  auto end = [&](std::size_t count) {
    for (; count > 0; --count) {
      judge(core, open.front(), verdict_state::correct, 1 + open.front() % 7);
      open.erase(open.begin());
    }
  };
  fill();
  if (kind != policy_kind::best_of_n) {
    CHECK(open.size() == 2); // drafts
    end(1);
    fill();
  }
  CHECK(open.size() == 4);
  end(4);
  fill();
  auto ended = core.tree().size() - 1 - open.size();
  CHECK(open.size() == 4 + ended / 5);
  for (int i = 0; i < 20; ++i) {
    end(open.size() / 2);
    fill();
  }
  ended = core.tree().size() - 1 - open.size();
  CHECK(open.size() == std::min<std::size_t>(64, 4 + ended / 5));
  CHECK(open.size() > 16);

  s.search.ramp = 0; // `set search.ramp=0`
  REQUIRE(core.configure(s));
  auto before = open.size();
  fill();
  CHECK(open.size() == before + 64);
}
