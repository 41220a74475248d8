#include "runtime/core/journal_configured.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/campaign_state.hpp"
#include "runtime/search/campaign/stop.hpp"
#include "runtime/search/policy/credit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;

namespace {

struct world {
  goal_settings goal;
  budget_settings budget;
  ledger money;
  stop_facts now;
  std::string reason() {
    auto r = stop_reason(goal, budget, money, now);
    return std::string{r.value_or("")};
  }
};

} // namespace

TEST_CASE("the goal is met by the lower bound of the score") {
  world w;
  w.goal.target_speedup = 2;
  w.now.best_score = 1.99;
  CHECK(w.reason().empty());
  w.now.best_score = 2;
  CHECK(w.reason() == "target");
  w.goal = {.target_speedup = 0, .timed = false};
  w.now = {};
  CHECK(w.reason().empty());
  w.now.any_correct = true;
  CHECK(w.reason() == "target");
}

TEST_CASE("each budget has its reason, and a merely reserved last unit waits for what is in flight") {
  budget_settings b;
  b.candidates = 2;
  b.tokens = 10;
  b.usd = 1;
  b.device_hours = 1;
  b.wall_hours = 1;
  auto spend = [&](amounts a) {
    world w;
    w.budget = b;
    w.money = ledger{b};
    w.money.settle({}, a);
    w.now.lacking = w.money.lacking({.candidates = 1});
    return w;
  };
  CHECK(spend({.candidates = 2}).reason() == "budget.candidates");
  CHECK(spend({.tokens = 10}).reason() == "budget.tokens");
  CHECK(spend({.nano_usd = amounts::nano(1)}).reason() == "budget.usd");
  b.requests = 3;
  CHECK(spend({.requests = 3}).reason() == "budget.requests");
  b.requests = 0;
  auto device = spend({.device_us = amounts::micro(3600)});
  device.now.in_flight = 5;
  CHECK(device.reason() == "budget.device");
  auto wall = spend({});
  CHECK(wall.reason().empty());
  wall.money.wall(3'600'000);
  wall.now.in_flight = 5;
  CHECK(wall.reason() == "budget.wall");

  world held;
  held.budget = b;
  held.money = ledger{b};
  REQUIRE(held.money.reserve({.candidates = 2}));
  held.now.lacking = held.money.lacking({.candidates = 1});
  held.now.in_flight = 2;
  CHECK(held.reason().empty());
  held.now.in_flight = 0;
  CHECK(held.reason() == "budget.candidates");
}

TEST_CASE("a stall is a number of finished candidates without a gain of the lower bound") {
  world w;
  w.budget.stall_candidates = 3;
  stall_meter meter;
  auto finish = [&](std::optional<double> score) {
    meter.ended({.score = score.value_or(0), .correct = score.has_value()}, 0.01);
    w.now.since_gain = meter.ends();
    return w.reason();
  };
  CHECK(finish(1.0).empty());
  CHECK(finish(1.005).empty());
  CHECK(finish(std::nullopt).empty());
  CHECK(finish(1.009) == "stall");
  CHECK(finish(1.02).empty()); // small steps add up to a gain
  CHECK(finish(0.5).empty());
  CHECK(finish(1.02).empty());
  CHECK(finish(std::nullopt) == "stall");
}

TEST_CASE("a gain within the noise of the timing is none") {
  stall_meter meter;
  auto finish = [&](double score, double noise) {
    meter.ended({.score = score, .correct = true}, std::max(0.01, noise_band(noise)));
    return meter.ends();
  };
  CHECK(finish(1.0, 0.05) == 0);
  CHECK(finish(1.06, 0.05) == 1); // three standard errors are 7.7%
  CHECK(finish(1.08, 0.05) == 0);
  CHECK(finish(1.10, 0.0) == 0); // nothing is known of the noise: one per cent counts
}

TEST_CASE("the books stop near the roofline of the best candidate, and only of the best") {
  campaign_state books;
  journal_configured c;
  c.settings.budget.candidates = 100;
  books.configured(c);
  auto judge = [&](std::uint32_t node, double score, std::optional<double> roofline) {
    books.stepped(1);
    books.ended(0, node, node_state::correct, score, 0, roofline);
    return std::string{books.stop({.candidates = 1}).value_or("")};
  };
  CHECK(judge(1, 2, 0.5).empty());
  CHECK(judge(2, 1, 0.99).empty());
  CHECK(judge(3, 3, 0.96) == "roofline");
  CHECK(judge(4, 4, std::nullopt).empty());
}

TEST_CASE("close to the roofline nothing is left to win") {
  world w;
  w.now.roofline_fraction = 0.94;
  CHECK(w.reason().empty());
  w.now.roofline_fraction = 0.95;
  CHECK(w.reason() == "roofline");
}

TEST_CASE("credit keeps every slot busy while models think, within parallel and budget") {
  credit_facts f{
      .slots = 32, .model_latency_s = 2, .evaluations_per_s = 160, .parallel = 1000, .candidates_left = 5000};
  CHECK(credit(f) == 32 + 32 + 320);
  f.asking = 320;
  f.busy = 32;
  CHECK(credit(f) == 32);
  f.queued = 40;
  CHECK(credit(f) == 0);
  f.queued = 0;
  f.candidates_left = 3;
  CHECK(credit(f) == 3);
  f.candidates_left = 5000;
  f.parallel = 353;
  CHECK(credit(f) == 1);
  f.slots = 0;
  CHECK(credit(f) == 0);
  CHECK(credit({.slots = 2, .parallel = 8, .candidates_left = 100}) == 8); // nothing measured yet
}
