#include "backends/verdict/floor.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// Faster on the mean of two workloads; `slow` is the second one's interval.
verdict lopsided(double low, double high, bool held_out = false) {
  verdict v;
  v.state = verdict_state::correct;
  v.decision = timing_decision::faster;
  v.score = 2.3;
  timing_summary t;
  t.speedup = 2.34;
  t.low = 2.3;
  t.high = 2.4;
  t.aa_width = 0.01;
  t.workloads = {{"wide", 16.7, 16.5, 16.9}, {"tall", (low + high) / 2, low, high, held_out}};
  v.timing = t;
  return v;
}

goal_settings with_floor(double floor) {
  goal_settings g;
  g.floor = floor;
  return g;
}

} // namespace

TEST_CASE("a workload that lies wholly below the floor makes a faster mean slower") {
  auto v = lopsided(0.32, 0.34);
  const auto* w = below_floor(v, goal_settings{}, measure_plan::claim); // the default floor
  REQUIRE(w);
  CHECK(w->name == "tall");
  CHECK(decision_under(v, goal_settings{}, measure_plan::claim) == timing_decision::slower);
  // Held out: no part of the mean, and has the floor.
  CHECK(decision_under(lopsided(0.32, 0.34, true), goal_settings{}, measure_plan::claim) ==
        timing_decision::slower);
  CHECK(decision_under(v, with_floor(0.3), measure_plan::claim) == timing_decision::faster);
  CHECK(decision_under(v, with_floor(0), measure_plan::claim) == timing_decision::faster);
}

TEST_CASE("who can't be told from the floor keeps it") {
  CHECK_FALSE(below_floor(lopsided(0.80, 0.96), goal_settings{}, measure_plan::claim));
  CHECK(below_floor(lopsided(0.80, 0.93), goal_settings{}, measure_plan::claim));
  CHECK_FALSE(
      below_floor(lopsided(0.80, 0.93), goal_settings{}, measure_plan::rank)); // 5% are the same there
  auto shaky = lopsided(0.80, 0.90);
  shaky.timing->aa_width = 0.1;
  CHECK_FALSE(below_floor(shaky, goal_settings{}, measure_plan::claim));
}

TEST_CASE("a floor says nothing of what was not timed or is not right") {
  verdict untimed;
  untimed.state = verdict_state::correct;
  CHECK(decision_under(untimed, goal_settings{}, measure_plan::claim) == timing_decision::none);
  auto goal = goal_settings{};
  goal.timed = false;
  CHECK_FALSE(below_floor(lopsided(0.3, 0.4), goal, measure_plan::claim));
  auto noisy = lopsided(0.3, 0.4);
  noisy.state = verdict_state::noisy;
  noisy.decision = timing_decision::none;
  CHECK(decision_under(noisy, goal_settings{}, measure_plan::claim) == timing_decision::none);
}
