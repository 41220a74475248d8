#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/policy/counter_random.hpp"
#include "runtime/search/policy/partners.hpp"
#include "runtime/search/policy/stall_meter.hpp"
#include "tests/search/driven_core.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace ke;

namespace {

/// A tree of correct candidates, and the second parents that it offers.
struct grown {
  tree_index tree;
  partners second;
  random_source random{4};

  std::uint32_t add(std::uint32_t parent, double score) {
    auto node = tree.add_child(parent, parent ? operation_kind::improve : operation_kind::draft);
    tree.judge(node, 0, node_state::correct, timing_decision::none, score);
    second.scored(tree, node, score);
    return node;
  }
};

} // namespace

TEST_CASE("a wait for a gain is over after a quarter of what came before, counted in correct candidates") {
  stall_meter w;
  std::uint32_t size = 1;
  auto judge = [&](bool correct, double score) {
    auto node = size++;
    return w.ended({.score = score, .correct = correct, .node = node, .tree_size = size});
  };
  for (int i = 1; i <= 200; ++i)
    CHECK(judge(true, i));
  for (int i = 0; i < 100; ++i)
    CHECK_FALSE(judge(false, 0)); // failures say little
  CHECK_FALSE(w.is_over(20, 1000));
  for (int i = 0; i < 49; ++i)
    CHECK_FALSE(judge(true, 200)); // as good is no gain
  CHECK_FALSE(w.is_over(20, 1000));
  CHECK_FALSE(judge(true, 1));
  CHECK(w.is_over(20, 1000));
  CHECK_FALSE(w.is_over(51, 1000));
  CHECK_FALSE(w.is_over(51, 151));
  CHECK(w.is_over(51, 150)); // verdicts of any kind end it at the latest
  CHECK(judge(true, 201));
  CHECK_FALSE(w.is_over(1, 1));
}

TEST_CASE("what was under way when a gain came does not count as waiting for the next one") {
  stall_meter w;
  auto correct = [&](std::uint32_t node, double score, std::uint32_t size) {
    return w.ended({.score = score, .correct = true, .node = node, .tree_size = size});
  };
  CHECK(correct(64, 1, 65)); // nodes 1 to 63 are still open
  for (std::uint32_t node = 1; node < 64; ++node)
    correct(node, 0.5, 65);
  CHECK_FALSE(w.is_over(20, 1000));
  for (std::uint32_t node = 65; node < 85; ++node)
    correct(node, 0.5, node + 1);
  CHECK(w.is_over(20, 1000));
}

TEST_CASE("a second parent stands neither above nor below the first, and is one of the best") {
  grown g;
  auto draft = g.add(0, 1), line = draft;
  CHECK_FALSE(g.second.beside(g.tree, draft, g.random));
  for (int i = 0; i < 20; ++i)
    line = g.add(line, 2 + i);
  CHECK(is_above(g.tree, draft, line)); // further up than a jump of the index reaches
  CHECK(is_above(g.tree, line, line));
  CHECK_FALSE(is_above(g.tree, line, draft));
  CHECK_FALSE(g.second.beside(g.tree, line, g.random)); // one line: nobody stands beside
  auto elder = g.tree[line].parent, sister = g.add(elder, 30), low = g.add(elder, 0.5);
  CHECK_FALSE(is_above(g.tree, line, sister));
  int met = 0;
  for (int i = 0; i < 200; ++i) {
    auto other = g.second.beside(g.tree, line, g.random);
    REQUIRE((!other || *other == sister));
    met += other.has_value();
    other = g.second.beside(g.tree, low, g.random);
    REQUIRE((!other || *other == sister || *other == line));
  }
  CHECK(met > 20);
}

TEST_CASE("each start lends its best to the others, none to itself") {
  grown g;
  auto first = g.add(g.add(0, 1), 5);
  CHECK_FALSE(g.second.of_another_start(g.tree, first, g.random));
  CHECK_FALSE(g.second.of_newest_start(g.tree, first));
  g.second.begin(g.tree.size());
  CHECK_FALSE(g.second.of_newest_start(g.tree, first)); // nothing of it is correct yet
  auto second = g.add(g.add(0, 1), 3), late = g.add(first, 6);
  CHECK(g.second.of_newest_start(g.tree, late) == second);
  CHECK_FALSE(g.second.of_newest_start(g.tree, second));
  CHECK(g.second.of_another_start(g.tree, second, g.random) == late);
  g.second.begin(g.tree.size());
  auto third = g.add(0, 4);
  std::set<std::uint32_t> of_first;
  for (int i = 0; i < 100; ++i)
    of_first.insert(*g.second.of_another_start(g.tree, late, g.random));
  CHECK(of_first == std::set{second, third});

  image_writer out;
  g.second.save(out);
  auto bytes = out.take();
  image_reader in{bytes};
  partners again;
  again.load(in);
  for (std::uint32_t node = 1; node < g.tree.size(); ++node)
    again.scored(g.tree, node, g.tree[node].score);
  CHECK(again.of_newest_start(g.tree, first) == third);
  random_source a{7}, b{7};
  for (int i = 0; i < 50; ++i)
    REQUIRE(again.of_another_start(g.tree, third, a) == g.second.of_another_start(g.tree, third, b));
}

TEST_CASE("mcts gives a share of its improvements a second parent, `crossover`; greedy and zero none") {
  auto share = [](double crossover, double exploration) {
    auto s = simulated_settings(6);
    s.search.crossover = crossover;
    s.search.exploration = exploration;
    s.search.restart = 0;
    auto core = core_of(s);
    auto world = hills(3);
    random_source random{7};
    int two = 0, all = 0;
    for (int i = 0; i < 600; ++i) {
      auto e = core.step(1).at(0);
      auto second = core.tree().parent2(e.node);
      all += e.operation == operation_kind::improve;
      if (second != no_node) {
        ++two;
        REQUIRE(e.operation == operation_kind::improve);
        REQUIRE(core.tree()[second].state == node_state::correct);
        REQUIRE_FALSE(is_above(core.tree(), std::min(second, e.parent), std::max(second, e.parent)));
      }
      auto o = world(core, e.node, random);
      judge(core, e.node, o.state, o.score);
    }
    return static_cast<double>(two) / all;
  };
  CHECK(share(0, 1) == 0);
  CHECK(share(0.3, 0) == 0);
  auto some = share(0.3, 1);
  CHECK(some > 0.1);
  CHECK(some < 0.36);
}

TEST_CASE("what a new start of mcts found is crossed into the best of the tree") {
  auto s = simulated_settings(6);
  s.search.drafts = 2;
  s.search.crossover = 0.2;
  auto core = core_of(s);
  std::uint32_t best = 0, of_start = no_node;
  int crossed = 0, after = 0;
  for (int i = 0; i < 400 && after < 60; ++i) {
    auto e = core.step(1).at(0);
    auto draft = core.tree().draft_of(e.node);
    if (best == 0)
      best = e.node;
    if (draft > 2 && of_start == no_node)
      of_start = draft; // the new start's first draft, and its best
    judge(core, e.node, verdict_state::correct, e.node == best ? 8 : e.node == of_start ? 4 : 1);
    if (of_start != no_node && draft <= 2) { // the whole tree's turn again
      ++after;
      crossed += core.tree().parent2(e.node) == of_start;
    }
  }
  REQUIRE(after == 60);
  CHECK(crossed > 36);
}

TEST_CASE("crossover set to zero while a new start is crossed in ends that, and later starts are made") {
  for (auto kind : {policy_kind::mcts, policy_kind::evolution}) {
    INFO(to_text(kind));
    auto s = simulated_settings(6);
    s.search.policy = kind;
    s.search.drafts = 2;
    s.search.crossover = 0.2;
    auto core = core_of(s);
    auto step = [&] {
      auto e = core.step(1).at(0);
      judge(core, e.node, verdict_state::correct, e.node == 1 ? 8 : 1);
      return e;
    };
    auto is_crossed = [&](const expansion& e) { // with the best of the second start
      return e.parent2 != no_node && core.tree().draft_of(e.parent2) > 2 && core.tree().draft_of(e.node) <= 2;
    };
    int until = 0;
    while (until < 600 && !is_crossed(step()))
      ++until;
    REQUIRE(until < 600);
    s.search.crossover = 0;
    REQUIRE(core.configure(s));
    int drafts = 0;
    for (int i = 0; i < 600; ++i) {
      auto e = step();
      REQUIRE(e.parent2 == no_node);
      drafts += e.operation == operation_kind::draft;
    }
    CHECK(drafts >= 2);
  }
}

TEST_CASE("a new start where nothing can be timed is followed like any other, not drafted without end") {
  auto s = simulated_settings(6);
  s.search.drafts = 2;
  s.search.restart = 30;
  auto core = core_of(s);
  int drafts = 0;
  for (int i = 0; i < 300; ++i) {
    auto e = core.step(1).at(0);
    drafts += e.operation == operation_kind::draft;
    judge(core, e.node, verdict_state::compiled, 0);
  }
  CHECK(drafts > 2);
  CHECK(drafts < 10);
}

TEST_CASE("a new start whose drafts all fail makes others, and is given up in the end") {
  auto s = simulated_settings(6);
  s.search.drafts = 2;
  s.search.restart = 30;
  auto core = core_of(s);
  for (const auto& d : core.step(2))
    judge(core, d.node, verdict_state::correct, 2);
  int drafts = 0, old = 0;
  for (int i = 0; i < 400; ++i) {
    auto e = core.step(1).at(0);
    auto draft = core.tree().draft_of(e.node);
    if (draft > 2) {
      drafts += e.operation == operation_kind::draft;
      judge(core, e.node, verdict_state::cheating_suspected, 0);
    } else {
      old += drafts > 0;
      judge(core, e.node, verdict_state::correct, 1);
    }
  }
  CHECK(drafts > 20);
  CHECK(old > 40);
}
