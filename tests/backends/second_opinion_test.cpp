#include "backends/verdict/drift_watch.hpp"
#include "backends/verdict/second_opinion.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

verdict correct(double score) {
  verdict v;
  v.state = verdict_state::correct;
  v.score = score;
  return v;
}

/// A measurement between two readings of each kernel, ns.
evidence measured(const std::map<std::string, std::pair<double, double>>& kernels, double cores_busy = 1) {
  evidence e;
  e.counters["cores_busy"] = cores_busy;
  for (const auto& [name, ns] : kernels) {
    e.counters["sentinel.before." + name] = ns.first;
    e.counters["sentinel.after." + name] = ns.second;
  }
  return e;
}

verdict ended(verdict_state state) {
  verdict v;
  v.state = state;
  return v;
}

} // namespace

TEST_CASE("of two workers' verdicts the one that claims less counts") {
  CHECK(weigh(correct(9), correct(8)) == opinion::second);
  CHECK(weigh(correct(9), correct(10)) == opinion::first);
  CHECK(weigh(correct(9), ended(verdict_state::correct)) == opinion::second); // without a score
}

TEST_CASE("a second worker that gets no end of a candidate contradicts the first; one that could not measure "
          "does not") {
  for (auto state :
       {verdict_state::timeout, verdict_state::incorrect, verdict_state::crashed, verdict_state::build_failed,
        verdict_state::cheating_suspected, verdict_state::policy_violation, verdict_state::resource_exceeded})
    CHECK(weigh(correct(9), ended(state)) == opinion::second);
  for (auto state : {verdict_state::noisy, verdict_state::harness_error})
    CHECK(weigh(correct(9), ended(state)) == opinion::undecided);
}

TEST_CASE("a score is beyond belief beside the best that stands in its campaign, on its device") {
  beliefs b;
  beliefs::place here{1, "cpu-cpp", "*"}, there{2, "cpu-cpp", "*"};
  CHECK_FALSE(b.beyond(here, 3.0));
  CHECK(b.beyond(here, 3.1));
  b.stands(here, 0.2); // slower than the reference: that is what the first ones are compared with
  CHECK(b.beyond(here, 3.1));
  CHECK(b.highest(here) == 0.2);
  b.stands(here, 4);
  b.stands(here, 2);
  CHECK_FALSE(b.beyond(here, 12));
  CHECK(b.beyond(here, 12.1));
  CHECK(b.beyond(there, 12));
  CHECK(b.highest(here) == 4);
  CHECK(b.highest(there) == 0);
}

TEST_CASE("a device's fixed kernels have a band: as wide as they differ, a quarter at least") {
  drift_watch still, restless;
  CHECK(still.note(measured({{"memory.1", {100, 300}}})).empty()); // nothing is known of it yet
  still = {};
  for (int n = 0; n < 6; ++n) {
    CHECK(still.note(measured({{"memory.1", {100, 101}}})).empty());
    CHECK(restless.note(measured({{"memory.1", {100 + 8 * n, 148 - 8 * n}}})).empty());
  }
  CHECK(still.note(measured({{"memory.1", {118, 100}}})).empty());
  CHECK(still.note(measured({{"memory.1", {100, 140}}})) == "memory.1 39% slower than it was");
  CHECK(still.note(measured({{"memory.1", {70, 100}}})) == "memory.1 44% faster than it was");
  CHECK(restless.note(measured({{"memory.1", {100, 170}}})).empty());
  CHECK_FALSE(restless.note(measured({{"memory.1", {100, 260}}})).empty());
}

TEST_CASE("a kernel on more threads than a candidate used is no matter to it") {
  drift_watch watch;
  for (int n = 0; n < 4; ++n)
    CHECK(watch.note(measured({{"memory.1", {100, 100}}, {"memory.2", {100, 100}}}, 1.9)).empty());
  CHECK(watch.note(measured({{"memory.1", {100, 100}}, {"memory.2", {100, 190}}}, 1)).empty());
  CHECK(watch.note(measured({{"memory.1", {100, 100}}, {"memory.2", {100, 190}}}, 1.9)) ==
        "memory.2 90% slower than it was");
}

TEST_CASE("three measurements in a row that agree are what a device is now, and three that don't are not") {
  drift_watch watch;
  auto seen = [&](double before, double after) {
    return watch.note(measured({{"memory.1", {before, after}}}));
  };
  for (int n = 0; n < 4; ++n)
    REQUIRE(seen(100, 101).empty());
  SECTION("its clock is lower for good") {
    CHECK_FALSE(seen(101, 170).empty()); // it fell meanwhile: neither the one nor the other
    CHECK_FALSE(seen(170, 171).empty());
    CHECK_FALSE(seen(171, 170).empty());
    CHECK(seen(170, 170).empty());
    CHECK_FALSE(seen(100, 100).empty());
  }
  SECTION("it wavers") {
    for (int n = 0; n < 6; ++n)
      CHECK_FALSE(seen(140 + 60 * (n % 3), 300).empty());
    CHECK(seen(100, 100).empty()); // and is what it was
  }
}
