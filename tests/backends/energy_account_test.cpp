// What orders cost a device in energy, from a count that moves on ten times a second.
#include "backends/judge/energy_account.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace ke;

namespace {

std::vector<energy_tick> ticks_of(double watts, int count) {
  std::vector<energy_tick> ticks;
  for (int i = 0; i < count; ++i)
    ticks.push_back({0.03 + 0.1 * i, 5000 + 0.1 * i * watts});
  return ticks;
}

std::vector<double> ends_of(double order_s, int count) {
  std::vector<double> ends;
  for (int i = 1; i <= count; ++i)
    ends.push_back(order_s * i);
  return ends;
}

} // namespace

TEST_CASE("an order costs the device's power for as long as it takes") {
  CHECK(joules_per_order(ticks_of(350, 6), ends_of(0.001, 600)) == Approx(0.35));
  CHECK(joules_per_order(ticks_of(120, 6), ends_of(0.2, 3)) == Approx(24));
}

TEST_CASE("of few ticks or orders nothing is said, and of a count that stands still neither") {
  CHECK(joules_per_order(ticks_of(350, 3), ends_of(0.001, 600)) == 0);
  CHECK(joules_per_order(ticks_of(350, 6), ends_of(0.3, 2)) == 0);
  CHECK(joules_per_order({}, {}) == 0);
  CHECK(joules_per_order(ticks_of(0, 6), ends_of(0.001, 600)) == 0);
}

TEST_CASE("a verdict says what was counted, in its JSON as well, and nothing where nothing was") {
  problem what;
  what.workloads = {{"a", {}, 1.0, false}, {"b", {}, 1.0, false}};
  evidence found;
  found.cases = 1;
  for (int launch = 0; launch < 5; ++launch)
    for (std::uint32_t w : {0u, 1u})
      found.launches.push_back({w, std::vector<double>(20, 2e6), std::vector<double>(20, 1e6)});
  found.counters["energy_mj.candidate.a"] = 4.5;
  found.counters["energy_mj.reference.a"] = 9;
  auto v = verdict_of(found, what, measure_plan::eval);
  REQUIRE(v.timing);
  CHECK(v.timing->workloads[0].candidate_mj == 4.5);
  CHECK(v.timing->workloads[0].reference_mj == 9);
  CHECK(v.timing->workloads[1].candidate_mj == 0);
  auto text = verdict_json(v, found.counters);
  CHECK(text.find("\"candidate_mj\":4.5,") != std::string::npos);
  CHECK(text.find("candidate_mj", text.find("candidate_mj") + 1) == std::string::npos);
}
