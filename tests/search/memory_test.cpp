#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/index/history.hpp"
#include "tests/search/driven_core.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace ke;

TEST_CASE("a fixed memory mode is taken as it is, and a draft has none") {
  for (auto mode :
       {memory_kind::parent, memory_kind::siblings, memory_kind::parent_siblings, memory_kind::clean}) {
    auto s = simulated_settings(2);
    s.search.drafts = 1;
    s.search.memory = mode;
    auto core = core_of(s);
    auto draft = core.step(1).at(0);
    CHECK(draft.memory == memory_kind::clean);
    judge(core, draft.node, verdict_state::correct, 2);
    CHECK(core.step(1).at(0).memory == mode);
  }
}

TEST_CASE("adaptive memory learns which history pays in a situation") {
  for (auto paying :
       {memory_kind::parent, memory_kind::siblings, memory_kind::parent_siblings, memory_kind::clean}) {
    memory_record record;
    random_source random{3};
    int chosen = 0;
    for (int i = 0; i < 1200; ++i) {
      auto mode = record.choose(4, random);
      record.finished(4, mode, random.uniform() < (mode == paying ? 0.5 : 0.05));
      chosen += i >= 600 && mode == paying;
    }
    CHECK(chosen > 540);
    CHECK(record.of(2, paying).tries == 0); // other situations have learnt nothing
  }
}

TEST_CASE("where one try in a hundred pays, modes that never do are drawn rarely") {
  memory_record record;
  random_source random{9};
  int wasted = 0;
  for (int i = 0; i < 4000; ++i) {
    auto mode = record.choose(6, random);
    auto useless = mode == memory_kind::parent || mode == memory_kind::parent_siblings;
    wasted += useless;
    record.finished(6, mode, !useless && random.uniform() < 0.01);
  }
  CHECK(wasted < 800); // half of the modes, a fifth of the choices
}

TEST_CASE("adaptive memory notices that what paid pays no longer") {
  memory_record record;
  random_source random{5};
  auto run = [&](memory_kind paying, int tries) {
    int chosen = 0;
    for (int i = 0; i < tries; ++i) {
      auto mode = record.choose(0, random);
      record.finished(0, mode, random.uniform() < (mode == paying ? 0.5 : 0.02));
      chosen += i >= tries / 2 && mode == paying;
    }
    return chosen;
  };
  CHECK(run(memory_kind::siblings, 400) > 170);
  CHECK(run(memory_kind::clean, 1200) > 480);
}

TEST_CASE("a stagnant tree gets a clean slate within sixteen choices") {
  auto s = simulated_settings(2);
  s.search.drafts = 1;
  s.search.exploration = 0;
  auto core = core_of(s);
  judge(core, core.step(1).at(0).node, verdict_state::correct, 2);
  for (std::uint32_t i = 0; i < stagnation_window; ++i)
    judge(core, core.step(1).at(0).node, verdict_state::correct, 1);
  int clean = 0;
  for (std::uint32_t i = 0; i < clean_interval; ++i) {
    auto e = core.step(1).at(0);
    clean += e.memory == memory_kind::clean;
    judge(core, e.node, verdict_state::correct, 1);
  }
  CHECK(clean >= 1);
}

TEST_CASE(
    "within forty candidates adaptive memory has tried each mode five times, also with many in flight") {
  for (std::uint32_t in_flight : {1u, 16u}) {
    auto s = simulated_settings(7);
    auto core = core_of(s);
    std::array<int, 4> tried{};
    int written = 0;
    while (written < 40) {
      auto made = core.step(std::min<std::uint32_t>(in_flight, static_cast<std::uint32_t>(40 - written)));
      REQUIRE_FALSE(made.empty());
      for (const auto& e : made) {
        ++written;
        if (e.operation != operation_kind::draft)
          ++tried[static_cast<std::size_t>(e.memory)];
        judge(core, e.node, verdict_state::correct, 1 + 0.01 * written);
      }
    }
    INFO(in_flight);
    for (auto count : tried)
      CHECK(count >= 5);
  }
}

TEST_CASE("a mode with ancestors waits for a node that has some, while there are others to try") {
  memory_record record;
  random_source random{4};
  for (std::uint32_t i = 0; i < 2 * first_tries; ++i) {
    auto mode = record.barely_tried(false, random);
    REQUIRE(mode);
    CHECK_FALSE(shows_ancestors(*mode));
    record.chosen(*mode);
  }
  CHECK(record.barely_tried(false, random)); // what is left is tried without any
  CHECK(shows_ancestors(*record.barely_tried(true, random)));
}

TEST_CASE("a history is bounded, ends before the root, and leaves out the open and the node itself") {
  tree_index t;
  std::uint32_t node = 0;
  std::vector<std::uint32_t> chain;
  for (int i = 0; i < 12; ++i) {
    node = t.add_child(node, i ? operation_kind::improve : operation_kind::draft);
    t.judge(node, 0, node_state::correct, timing_decision::faster, 1 + i);
    chain.push_back(node);
  }
  std::vector<std::uint32_t> children;
  for (int i = 0; i < 20; ++i)
    children.push_back(t.add_child(node, operation_kind::improve));
  auto own = children.back();
  for (auto c : children)
    if (c % 2)
      t.judge(c, 0, node_state::build_failed, timing_decision::none, 0.0);
  auto h = history_of(t, node, own);
  CHECK(h.ancestors.size() == most_ancestors);
  CHECK(h.ancestors.front() == chain[10]);
  CHECK(h.siblings.size() <= most_siblings);
  for (auto s : h.siblings) { // failed ones are shown, too
    CHECK(s % 2 == 1);
    CHECK(s != own);
  }
  CHECK(std::is_sorted(h.siblings.rbegin(), h.siblings.rend()));
  CHECK(history_of(t, chain[1]).ancestors == std::vector<std::uint32_t>{chain[0]});
  CHECK(history_of(t, chain[0]).ancestors.empty());
}

TEST_CASE("beside a parent stand its siblings that gained, best first, and no draft") {
  tree_index t;
  auto add = [&](std::uint32_t parent, node_state state, double score) {
    auto node = t.add_child(parent, parent ? operation_kind::improve : operation_kind::draft);
    if (!is_open(state))
      t.judge(node, 0, state, timing_decision::none, score);
    return node;
  };
  auto draft = add(0, node_state::correct, 2);
  add(0, node_state::correct, 5); // another draft gained on nothing
  auto good = add(draft, node_state::correct, 4);
  add(draft, node_state::correct, 1.5);
  add(draft, node_state::build_failed, 0);
  add(draft, node_state::planned, 0);
  auto parent = add(draft, node_state::correct, 6);
  CHECK(history_of(t, draft).uncles.empty());
  CHECK(history_of(t, parent).uncles == std::vector<std::uint32_t>{good});
  CHECK(history_of(t, good).uncles == std::vector<std::uint32_t>{parent});
  auto archived = archive_beside(t, parent, history_of(t, parent)); // of the other drafts and their children
  CHECK(archived.front() == 2);
  for (auto shown : {parent, draft, good})
    CHECK(std::find(archived.begin(), archived.end(), shown) == archived.end());
  auto better = add(draft, node_state::correct, 5), third = add(draft, node_state::correct, 3);
  CHECK(history_of(t, parent).uncles == std::vector<std::uint32_t>{better, good});
  CHECK(history_of(t, third).uncles == std::vector<std::uint32_t>{parent, better});
  // A gain is one on the nearest scored ancestor, here through a failed parent.
  auto failed = add(draft, node_state::incorrect, 0);
  auto mended = add(failed, node_state::correct, 2.5), worse = add(failed, node_state::correct, 1.9);
  CHECK(history_of(t, worse).uncles == std::vector<std::uint32_t>{mended});
  CHECK(history_of(t, mended).uncles.empty());
  // Only the newest are looked at.
  for (std::size_t i = 0; i < looked_at_uncles; ++i)
    add(draft, node_state::correct, 1);
  CHECK(history_of(t, parent).uncles.empty());
}
