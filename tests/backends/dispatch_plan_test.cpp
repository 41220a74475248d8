// Which kernel a dispatcher gives which shapes to, as far as measurements tell.
#include "backends/verdict/dispatch_plan.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ke;

namespace {

problem two_shapes() {
  problem p;
  p.dims = {"N"};
  p.workloads = {{"big", {{"N", 100000}}, 1.0, false},
                 {"secret", {{"N", 3000}}, 1.0, true},
                 {"small", {{"N", 10}}, 1.0, false}};
  return p;
}

/// Intervals of one percent.
shape_contender on(std::uint32_t node, double big, double small, double same = 0.05) {
  return {node,
          std::sqrt(big * small),
          same,
          {{"big", big, big * 0.99, big * 1.01},
           {"secret", 9, 8.9, 9.1, true},
           {"small", small, small * 0.99, small * 1.01}}};
}

std::optional<std::vector<dispatch_choice>> plan(const std::vector<shape_contender>& all,
                                                 goal_settings goal = {}) {
  return plan_dispatch(two_shapes(), all, goal);
}

using nodes = std::vector<std::optional<std::uint32_t>>;
nodes chosen(const std::vector<shape_contender>& all, goal_settings goal = {}) {
  nodes found;
  for (const auto& c : plan(all, goal).value_or(std::vector<dispatch_choice>{}))
    found.push_back(c.node);
  return found;
}

} // namespace

TEST_CASE("each workload's shapes go to who is clearly the best there") {
  CHECK(chosen({on(1, 16, 0.3), on(2, 1.2, 3)}) == nodes{1, 2});
  auto choices = plan({on(1, 16, 0.3), on(2, 1.2, 3)});
  REQUIRE(choices);
  CHECK((*choices)[0].workload == 0);
  CHECK((*choices)[1].workload == 2); // the held-out one between them is nobody's to choose
  CHECK(chosen({on(1, 4, 2), on(2, 1, 3), on(3, 5, 1)}) == nodes{3, 2});
}

TEST_CASE("who can't be told from the best on the mean takes nothing from it") {
  CHECK_FALSE(plan({on(1, 4, 2), on(2, 1, 2.05)}));
  CHECK_FALSE(plan({on(1, 4, 2, 0.3), on(2, 1, 2.4)})); // it is a loud machine
  CHECK(plan({on(1, 4, 2), on(2, 1, 2.4)}));
  CHECK_FALSE(plan({on(1, 4, 2)}));
  CHECK_FALSE(plan({}));
}

TEST_CASE("a workload where everybody is below the floor goes to the fallback") {
  CHECK(chosen({on(1, 16, 0.3), on(2, 1.2, 0.4)}) == nodes{1, std::nullopt});
  CHECK(chosen({on(1, 16, 0.3)}) == nodes{1, std::nullopt});
  CHECK_FALSE(plan({on(1, 0.5, 0.3)})); // the fallback for everything is no gain
  CHECK_FALSE(plan({on(1, 16, 0.98)}));
  goal_settings none;
  none.floor = 0;
  CHECK_FALSE(plan({on(1, 16, 0.3)}, none));
}

TEST_CASE("a dispatcher that is wanted always has one kernel at least") {
  auto choices = plan_dispatch(two_shapes(), {on(1, 4, 2)}, {}, true);
  REQUIRE(choices);
  CHECK((*choices)[0].node == std::optional{1u});
  CHECK((*choices)[1].node == std::optional{1u});
  CHECK_FALSE(plan_dispatch(two_shapes(), {on(1, 0.5, 0.3)}, {}, true));
  CHECK_FALSE(plan_dispatch(two_shapes(), {}, {}, true));
}

TEST_CASE("each workload has a winner by the lower end of its interval") {
  auto loose = on(3, 16.1, 1);
  loose.workloads[0].low = 12;
  auto winners = shape_winners(two_shapes(), {on(1, 16, 0.3), on(2, 1.2, 3), loose});
  REQUIRE(winners.size() == 2);
  CHECK(winners[0].workload == "big");
  CHECK(winners[0].node == 1);
  CHECK(winners[1].workload == "small");
  CHECK(winners[1].node == 2);
  CHECK(winners[1].timing.low == Approx(2.97));
}

TEST_CASE("only what was timed and found right contends") {
  verdict v;
  v.state = verdict_state::correct;
  CHECK_FALSE(contender_of(1, v, measure_plan::rank));
  v.timing = timing_summary{};
  v.timing->aa_width = 0.2;
  v.score = 2;
  REQUIRE(contender_of(1, v, measure_plan::rank));
  CHECK(contender_of(1, v, measure_plan::rank)->same == 0.2);
  v.timing->aa_width = 0;
  CHECK(contender_of(1, v, measure_plan::rank)->same > 0.02);
  v.state = verdict_state::incorrect;
  CHECK_FALSE(contender_of(1, v, measure_plan::rank));
}
