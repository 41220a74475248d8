#include "runtime/core/reward.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ke;

namespace {

verdict timed(double low, double speedup, double high) {
  verdict v;
  v.state = verdict_state::correct;
  v.score = low;
  v.timing = timing_summary{};
  v.timing->speedup = speedup;
  v.timing->low = low;
  v.timing->high = high;
  return v;
}

verdict of_state(verdict_state s) {
  verdict v;
  v.state = s;
  return v;
}

} // namespace

TEST_CASE("a wrong candidate is worth 0, a right one that is no faster the floor, eight times faster 1") {
  for (auto s : {verdict_state::incorrect, verdict_state::nondeterministic, verdict_state::build_failed,
                 verdict_state::crashed, verdict_state::timeout, verdict_state::resource_exceeded,
                 verdict_state::policy_violation, verdict_state::cheating_suspected}) {
    auto r = reward(of_state(s));
    CHECK(r.defined);
    CHECK(r.value == 0);
    CHECK(r.high == 0);
  }
  CHECK(reward(timed(0.5, 0.6, 0.7)).value == reward_floor);
  CHECK(reward(timed(1, 1.1, 1.2)).value == reward_floor);
  CHECK(reward(timed(8, 9, 10)).value == Approx(1));
  CHECK(reward(timed(80, 90, 100)).value == Approx(1));
  CHECK(reward(timed(2, 2.5, 3)).value == Approx(0.05 + 0.95 / 3));
}

TEST_CASE("the reward's interval is that of the speedup, its value the lower bound") {
  auto r = reward(timed(2, 2.5, 3));
  CHECK(r.value < r.point);
  CHECK(r.point < r.high);
  CHECK(r.point == Approx(0.05 + 0.95 * std::log2(2.5) / 3));
  CHECK(r.high == Approx(0.05 + 0.95 * std::log2(3) / 3));
}

TEST_CASE("two gains of the same ratio are worth the same wherever they happen") {
  auto gain = [](double from) { return shaped_speedup(from * 1.1) - shaped_speedup(from); };
  CHECK(gain(1.2) == Approx(gain(5)));
}

TEST_CASE("a verdict that says nothing about the candidate gives no reward") {
  for (auto s : {verdict_state::noisy, verdict_state::unfit_problem, verdict_state::harness_error,
                 verdict_state::compiled})
    CHECK_FALSE(reward(of_state(s)).defined);
  CHECK_FALSE(reward(std::vector<verdict>{}).defined);
}

TEST_CASE("a correct candidate whose time was not asked for is worth the floor") {
  auto r = reward(of_state(verdict_state::correct));
  CHECK(r.defined);
  CHECK(r.value == reward_floor);
  CHECK(r.high == reward_floor);
}

TEST_CASE("several targets: the first one that is not correct decides, else the geometric mean") {
  CHECK(reward({timed(2, 2, 2), timed(8, 8, 8)}).value == Approx(shaped_speedup(4)));
  auto wrong = reward({timed(8, 8, 8), of_state(verdict_state::crashed), of_state(verdict_state::noisy)});
  CHECK(wrong.defined);
  CHECK(wrong.value == 0);
  CHECK_FALSE(reward({timed(8, 8, 8), of_state(verdict_state::noisy)}).defined);
}
