#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/finalists.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

journal_claimed claim(std::uint32_t node, double score, verdict_state state = verdict_state::correct,
                      std::uint32_t target = 0) {
  journal_claimed c{0, node, target, state, timing_decision::none, std::nullopt, "verdict", 2.0};
  if (state == verdict_state::correct) {
    c.decision = score > 1 ? timing_decision::faster : timing_decision::slower;
    c.score = score;
  }
  return c;
}

/// A campaign whose candidates 1, 2, ... have been judged with these scores.
campaign_fold judged(const std::vector<double>& scores, double target = 0) {
  auto s = simulated_settings(3, static_cast<std::int64_t>(scores.size()));
  s.goal.target_speedup = target;
  campaign_fold fold;
  REQUIRE(fold.apply(journal_configured{s, "problem", {"cpu-cpp"}, "test"}));
  std::uint32_t node = 0;
  for (double score : scores) {
    auto made = fold.step(0, 1);
    REQUIRE(made);
    node = made->first.at(0).node;
    REQUIRE(fold.apply(journal_asked{0, node, 1, "small", "prompt", {}}));
    REQUIRE(
        fold.apply(journal_replied{0, node, 1, failure_kind::none, "r", "s", "n" + std::to_string(node)}));
    auto decision = score > 1 ? timing_decision::faster : timing_decision::slower;
    REQUIRE(fold.apply(journal_judged{0, node, 0, verdict_state::correct, decision, score, "v", 1.0}));
  }
  return fold;
}

} // namespace

TEST_CASE("finalists are measured in the order of the search's scores, until one is confirmed and no other "
          "promises more") {
  auto fold = judged({1.2, 2.4, 0.5, 2.0, 1.9});
  CHECK(next_finalist(fold) == tree_node{0, 2});
  REQUIRE(fold.apply(claim(2, 0.98))); // luck
  CHECK_FALSE(fold.books().claims().champion(true));
  CHECK(next_finalist(fold) == tree_node{0, 4});
  REQUIRE(fold.apply(claim(4, 1.95)));
  CHECK(next_finalist(fold) == std::nullopt); // 1.9 promises no more
  CHECK(fold.books().claims().champion(true)->who == tree_node{0, 4});
  CHECK(fold.books().published_best().node == 4);
  CHECK(fold.books().published_best().score == Approx(1.95));
  CHECK(fold.row(1).best_node == 4);
  CHECK(fold.books().money().spent().device_s() == Approx(5 * 1.0 + 2 * 2.0));
}

TEST_CASE("at most three finalists are measured, and slower candidates are none") {
  auto fold = judged({1.5, 1.4, 1.3, 1.2, 0.9});
  for (std::uint32_t n : {1u, 2u, 3u}) {
    REQUIRE(next_finalist(fold) == tree_node{0, n});
    REQUIRE(fold.apply(claim(n, 0, verdict_state::noisy)));
  }
  CHECK(next_finalist(fold) == std::nullopt);
  CHECK(fold.books().published_best().node == 1); // the search's own, since nothing was confirmed
  auto slow = judged({0.9, 0.8});
  CHECK(next_finalist(slow) == std::nullopt);
}

TEST_CASE("a duplicate of a finalist is not measured a second time") {
  auto fold = judged({1.5, 1.5, 1.2});
  REQUIRE(next_finalist(fold) == tree_node{0, 1});
  REQUIRE(fold.apply(claim(1, 0.9)));
  CHECK(next_finalist(fold) == tree_node{0, 3});
}

TEST_CASE(
    "the goal is reached by a claim only, and what was overrated once must promise more the next time") {
  auto fold = judged({1.5, 2.2}, 2.0);
  auto reason = [&] { return fold.books().stop({}, true).value_or(""); };
  CHECK(fold.books().stop({}, false).value_or("") == "target"); // without claims
  CHECK(reason() != "target");
  CHECK(goal_candidate(fold) == tree_node{0, 2});
  REQUIRE(fold.apply(claim(2, 1.76))); // overrated by a quarter
  CHECK(fold.books().claims().shrinkage() == Approx(1.25));
  CHECK(goal_candidate(fold) == std::nullopt);
  CHECK(reason() != "target");
  auto more = judged({2.2, 2.4, 2.6}, 2.0);
  REQUIRE(more.apply(claim(3, 2.08)));
  CHECK(more.books().stop({}, true).value_or("") == "target");
}

TEST_CASE("of several targets the worst one speaks, and a claim counts when all have been measured") {
  claim_book book;
  book.add(claim(1, 2.0), 2, 2.0);
  CHECK_FALSE(book.measured({0, 1}));
  CHECK_FALSE(book.champion(true));
  book.add(claim(1, 0.5, verdict_state::correct, 1), 2, 2.0);
  CHECK(book.measured({0, 1}));
  CHECK_FALSE(book.champion(true)); // slower on the second
  CHECK(book.champion(false));      // right on both
  book.add(claim(2, 2.0), 2, 2.0);
  book.add(claim(2, 4.5, verdict_state::correct, 1), 2, 2.0);
  REQUIRE(book.champion(true));
  CHECK(book.champion(true)->score() == Approx(3.0));
  book.add(claim(2, 9.0), 2, 2.0); // told twice
  CHECK(book.champion(true)->score() == Approx(3.0));
}

TEST_CASE("claims survive in an image of the fold") {
  auto fold = judged({1.5, 2.2});
  REQUIRE(fold.apply(claim(2, 1.8)));
  auto again = campaign_fold::from_image(fold.image(9));
  REQUIRE(again);
  CHECK(again->hash() == fold.hash());
  CHECK(again->books().published_best().score == Approx(1.8));
}

TEST_CASE("a claim on a node that is not there is a damaged journal") {
  auto fold = judged({1.5});
  auto done = fold.apply(claim(9, 2));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == failure_kind::corrupt);
}

TEST_CASE(
    "a wrong result on a second device refutes a claim, a slow one is told, and of both the money is spent") {
  auto said = [](const journal_claimed& there) {
    auto fold = judged({1.2, 2.4, 2.0});
    REQUIRE(fold.apply(claim(2, 2.3)));
    const auto* e = fold.books().claims().find({0, 2});
    CHECK(e->on_second(true) == second_look::none);
    REQUIRE(fold.apply(journal_validated{there}));
    CHECK(fold.books().money().spent().device_s() == Approx(3 * 1.0 + 2 * 2.0));
    return std::pair{e->on_second(true), e->confirmed(true)};
  };
  CHECK(said(claim(2, 2.2)) == std::pair{second_look::holds, true});
  CHECK(said(claim(2, 0.9)) == std::pair{second_look::not_faster, true});
  CHECK(said(claim(2, 0, verdict_state::noisy)) == std::pair{second_look::not_measured, true});
  CHECK(said(claim(2, 0, verdict_state::build_failed)) == std::pair{second_look::not_measured, true});
  for (auto state : {verdict_state::incorrect, verdict_state::nondeterministic, verdict_state::crashed,
                     verdict_state::cheating_suspected})
    CHECK(said(claim(2, 0, state)) == std::pair{second_look::wrong, false});
  auto fold = judged({1.2, 2.4, 2.0});
  REQUIRE(fold.apply(claim(2, 2.3)));
  REQUIRE(fold.apply(journal_validated{claim(2, 0, verdict_state::incorrect)}));
  CHECK(fold.books().claims().champion(true) == nullptr);
  CHECK(next_finalist(fold) == tree_node{0, 3});       // the next one has its turn
  REQUIRE(fold.apply(journal_validated{claim(3, 2)})); // without a claim there is nothing to look at again
  CHECK(fold.books().claims().find({0, 3}) == nullptr);
}
