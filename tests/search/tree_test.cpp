#include "runtime/core/image.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/search/index/tree_index.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

using namespace ke;

TEST_CASE("the root is the reference: correct, score one, no parents") {
  tree_index t;
  CHECK(t.size() == 1);
  CHECK(t[0].state == node_state::correct);
  CHECK(t[0].score == 1);
  CHECK(t.parents(0).empty());
  CHECK(t.best() == 0);
  CHECK(t.best() == 0);
}

TEST_CASE("a verdict is backed up along primary edges only, and an end without one is no visit") {
  tree_index t{1, 2.0};
  auto a = t.add_child(0, operation_kind::draft);
  auto b = t.add_child(0, operation_kind::draft);
  auto c = t.add_child(a, operation_kind::improve, b);
  CHECK(t.parents(c) == std::vector<std::uint32_t>{a, b});
  CHECK(t[0].in_flight == 3);
  CHECK(t[a].in_flight == 2);
  CHECK(t.judge(c, 0, node_state::correct, timing_decision::faster, 2.0));
  CHECK(t[c].value == Approx(1));
  CHECK(t[a].visits == 1);
  CHECK(t[a].value == Approx(1));
  CHECK(t[a].best == Approx(2));
  CHECK(t[b].visits == 0);
  CHECK(t[0].visits == 1);
  CHECK(t.end(b, node_state::unanswered));
  CHECK(t[0].visits == 1);
  CHECK(t[0].in_flight == 1);
  CHECK(t.best() == c);
  CHECK(t.children(0) == std::vector<std::uint32_t>{a, b});
  CHECK(t.count(node_state::unanswered) == 1);
  CHECK(t.ended() == 2);
}

TEST_CASE("a second verdict for an ended node changes nothing") {
  tree_index t;
  auto a = t.add_child(0, operation_kind::draft);
  CHECK(t.judge(a, 0, node_state::correct, timing_decision::faster, 1.5));
  CHECK_FALSE(t.judge(a, 0, node_state::crashed, timing_decision::none, 0.0));
  CHECK_FALSE(t.end(a, node_state::cancelled));
  CHECK_FALSE(t.progress(a, node_state::measuring));
  CHECK(t[a].score == 1.5);
  CHECK(t[0].visits == 1);
}

TEST_CASE("with several targets a node's score is the geometric mean, and it ends with the last verdict") {
  tree_index t{2};
  auto a = t.add_child(0, operation_kind::draft);
  CHECK_FALSE(t.judge(a, 1, node_state::correct, timing_decision::faster, 4.0));
  CHECK_FALSE(t.judge(a, 1, node_state::crashed, timing_decision::none, 0.0));
  CHECK(is_open(t[a].state));
  CHECK(t.judge(a, 0, node_state::correct, timing_decision::same, 1.0));
  CHECK(t[a].score == Approx(2));
  CHECK(t[a].decision == timing_decision::same);
  CHECK(*t.score(a, 1) == 4.0);

  auto b = t.add_child(0, operation_kind::draft);
  CHECK_FALSE(t.judge(b, 0, node_state::correct, timing_decision::faster, 4.0));
  CHECK(t.judge(b, 1, node_state::incorrect, timing_decision::none, 0.0));
  CHECK(t[b].state == node_state::incorrect);
  CHECK(t[b].score == 0);
  CHECK(t.best() == a);
}

TEST_CASE("rewards: nothing for failures, a floor for slow but right, one at the goal") {
  CHECK(reward_of(node_state::build_failed, 0, 2) == 0);
  CHECK(reward_of(node_state::correct, 0.5, 2) == Approx(0.05));
  CHECK(reward_of(node_state::noisy, -1, 2) == Approx(0.05));
  CHECK(reward_of(node_state::correct, 2, 2) == Approx(1));
  CHECK(reward_of(node_state::correct, 4, 2) == Approx(1));
  CHECK(reward_of(node_state::correct, 2, 0) == Approx(0.05 + 0.95 / 3));
}

TEST_CASE("the best of a tree are in order, without failures and duplicates, and the same from an image") {
  tree_index t;
  std::vector<std::uint32_t> nodes;
  for (int i = 0; i < 20; ++i)
    nodes.push_back(t.add_child(0, operation_kind::draft));
  t.edit(nodes[19]).duplicate = 1;
  for (int i = 19; i >= 0; --i) // 1, 2, ... 10, 1, 2, ... 10, the youngest first
    t.judge(nodes[i], 0, i == 8 ? node_state::incorrect : node_state::correct, timing_decision::faster,
            i % 10 + 1.0);
  auto best = t.top();
  CHECK(best == std::vector{nodes[9], nodes[18], nodes[7], nodes[17], nodes[6], nodes[16], nodes[5],
                            nodes[15], nodes[4], nodes[14], nodes[3], nodes[13]});
  image_writer out;
  t.save(out);
  auto image = std::move(out).take();
  image_reader in{image};
  tree_index copy;
  copy.load(in);
  CHECK(copy.top() == best);
}
