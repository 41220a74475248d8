// The judge on a driver that it has no file for: what its loops may not assume of memory, time and places.
#include "backends/judge/session.hpp"
#include "backends/judge/single_calls.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/fake_device.hpp"
#include "tests/backends/problems.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>

using namespace ke;
using ke_test::device_kernel;
using ke_test::fake_device;

namespace {

constexpr double usual_ns = 20'000;

void device_right(float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}

void device_wrong(float* x, float* y, std::int64_t n) {
  device_right(x, y, n);
  if (n > 0)
    y[n - 1] += 0.25f;
}

void device_writes_input(float* x, float* y, std::int64_t n) {
  device_right(x, y, n);
  if (n > 0)
    x[0] += 1;
}

void device_writes_beside(float* x, float* y, std::int64_t n) {
  device_right(x, y, n);
  y[n] = 1;
}

problem device_problem() {
  auto p = ke_test::elementwise();
  p.scalars.clear();
  p.workloads = {{"wide", {{"N", 4096}}, 1.0, false}};
  return p;
}

/// Judges this kernel against one of usual speed that is right.
evidence judged(const device_kernel& candidate, const driver_seam& seam, bool timed = false,
                bool graph = false) {
  ke_test::device_kernels() = {{"reference", {.body = device_right, .late_ns = usual_ns}},
                               {"candidate", candidate}};
  judge_task task;
  task.what = device_problem();
  task.candidate = "candidate";
  task.reference = "reference";
  task.what.policy.graph_launch = graph;
  task.timed = timed;
  task.budget_s = 3; // most of it unused: the device's time is a number
  return judge(task, seam);
}

evidence judged(const device_kernel& candidate, bool timed = false) {
  return judged(candidate, fake_device(), timed);
}

verdict verdict_on(const device_kernel& candidate) {
  return verdict_of(judged(candidate, true), device_problem(), measure_plan::rank);
}

} // namespace

TEST_CASE("the judge finds a right kernel right on a device whose memory it can't map") {
  auto found = judged({.body = device_right, .late_ns = usual_ns});
  INFO(found.reason + found.unfit);
  CHECK(found.ending == ending::finished);
  CHECK(found.unfit.empty());
  CHECK(found.failed == 0);
  CHECK(found.flags.empty());
  CHECK(found.cases > 20);
  CHECK(found.counters.at("edge_cases") > 3);
}

namespace {

/// By length, where the largest elements of inputs lay that have two huge elements at most.
std::map<std::int64_t, std::set<std::ptrdiff_t>>& huge_places() {
  static std::map<std::int64_t, std::set<std::ptrdiff_t>> all;
  return all;
}

void device_sees_huge(float* x, float* y, std::int64_t n) {
  device_right(x, y, n);
  auto is_huge = [](float v) { return std::fabs(v) > 1e4f && std::isfinite(v); };
  if (auto huge = std::count_if(x, x + n, is_huge); n > 1000 && huge > 0 && huge <= 2)
    huge_places()[n].insert(std::find_if(x, x + n, is_huge) - x);
}

} // namespace

TEST_CASE("Bug: who looked at one input of 1,024 met the only huge one of a verdict in one of 500, and was "
          "called right") {
  huge_places().clear();
  auto found = judged({.body = device_sees_huge, .late_ns = usual_ns});
  CHECK(found.failed == 0);
  REQUIRE(huge_places().contains(4096));
  CHECK(huge_places()[4096].size() == 2);
}

namespace {

struct loads {
  int open = 0, most = 0, of_candidate = 0;
  const driver_state* candidate = nullptr; ///< the last one
  int fails_at = 0;                        ///< which of the candidate's
};

loads& seen_loads() {
  static loads all;
  return all;
}

driver_seam device_that_counts_loads(int fails_at) {
  seen_loads() = {.fails_at = fails_at};
  auto seam = fake_device();
  seam.open = [](driver_state& s, const driver_start& how) {
    auto& all = seen_loads();
    all.most = std::max(all.most, ++all.open);
    if (how.object == "candidate") {
      all.candidate = &s;
      ++all.of_candidate;
    }
    return ke_test::device::open(s, how);
  };
  seam.load = [](driver_state& s) {
    auto& all = seen_loads();
    --all.open;
    call_outcome said;
    if (&s == all.candidate && all.of_candidate == all.fails_at) {
      said.end = call_end::load_failed;
      said.why = "no such symbol";
    }
    return said;
  };
  return seam;
}

} // namespace

TEST_CASE("the two processes of a launch load at once; one that then does not is the candidate's") {
  auto found = judged({.body = device_right, .late_ns = usual_ns}, device_that_counts_loads(0), true);
  CHECK(found.ending == ending::finished);
  CHECK(seen_loads().most == 2);
  CHECK(seen_loads().open == 0);
  found = judged({.body = device_right, .late_ns = usual_ns}, device_that_counts_loads(2), true);
  CHECK(found.ending == ending::build_failed);
  CHECK(found.reason.find("no such symbol") != std::string::npos);
}

TEST_CASE("the judge finds a wrong kernel wrong on a device, and where") {
  auto found = judged({.body = device_wrong, .late_ns = usual_ns});
  CHECK(found.failed > 0);
  REQUIRE(found.first_failure);
  CHECK(found.first_failure->tensor == "y");
  CHECK(found.first_failure->index == std::vector<std::int64_t>{4095});
}

TEST_CASE("writes to inputs and beside results are seen on a device") {
  auto inputs = judged({.body = device_writes_input, .late_ns = usual_ns});
  REQUIRE_FALSE(inputs.flags.empty());
  CHECK(inputs.flags.front().name == "inputs_changed");
  auto beside = judged({.body = device_writes_beside, .late_ns = usual_ns});
  REQUIRE_FALSE(beside.flags.empty());
  CHECK(beside.flags.front().name == "red_zone");
}

TEST_CASE("work that ends after its call's answer is waited for") {
  device_kernel late{.body = device_right, .call_ns = 2000, .late_ns = 18'000, .waits = false};
  auto found = judged(late);
  CHECK(found.failed == 0);
  CHECK(found.flags.empty());
  auto hasty = fake_device(); // one that does not wait is caught at the next fence
  hasty.close = [](driver_state&, std::span<const result_part>, call_outcome&) {};
  auto unfenced = judged(late, hasty);
  REQUIRE_FALSE(unfenced.flags.empty());
  CHECK(unfenced.flags.front().name == "ran_while_stopped");
  hasty.fence = [](driver_state& s) { // and one that believes him has read the poison that lay there before
    auto said = ke_test::device::fence(s);
    said.still = true;
    return said;
  };
  CHECK(judged(late, hasty).failed > 0);
}

TEST_CASE("work that ends after its call's answer is part of its time") {
  auto usual = verdict_on({.body = device_right, .late_ns = usual_ns});
  INFO(verdict_json(usual));
  REQUIRE(usual.timing);
  CHECK(usual.timing->speedup == Approx(1).margin(0.01));
  auto fast = verdict_on({.body = device_right, .late_ns = usual_ns / 4});
  REQUIRE(fast.timing);
  CHECK(fast.state == verdict_state::correct);
  CHECK(fast.timing->speedup > 3);
  auto late = verdict_on({.body = device_right, .call_ns = 2000, .late_ns = 18'000, .waits = false});
  REQUIRE(late.timing);
  CHECK(late.timing->speedup == Approx(1).margin(0.05)); // its answers alone would say 8
}

TEST_CASE("results are read where a device's candidate left them, in orders of several calls as well") {
  device_kernel elsewhere{.body = device_right, .late_ns = usual_ns, .own_place = true};
  auto found = judged(elsewhere, true);
  INFO(found.reason);
  CHECK(found.failed == 0);
  CHECK(found.flags.empty());
  CHECK(found.counters.at("calls_per_order.wide") > 1);
  CHECK(found.timed_calls_checked == found.timed_calls);
  elsewhere.body = device_wrong;
  CHECK(judged(elsewhere).failed > 0);
}

namespace {

/// On a device that shows a candidate all calls of an order at once.
double speedup_beside_others(const device_kernel& k, bool by_graph, const driver_seam& seam) {
  auto found = judged(k, seam, true, by_graph);
  INFO(found.reason);
  REQUIRE(found.ending == ending::finished);
  CHECK(found.failed == 0);
  CHECK(found.counters.at("calls_per_order.wide") > 1);
  return verdict_of(found, device_problem(), measure_plan::rank).timing->speedup;
}

} // namespace

TEST_CASE("who answers all calls of an order by its first is paid what a call is worth alone") {
  auto mixing = ke_test::mixing_device();
  auto by_graph = GENERATE(true, false);
  device_kernel merging{.body = device_right, .late_ns = usual_ns, .merges = true};
  CHECK(speedup_beside_others(merging, by_graph, mixing) == Approx(1).margin(0.05));
}

TEST_CASE("who is faster alone as well is paid in full, and who is slower no more than that") {
  auto mixing = ke_test::mixing_device();
  auto by_graph = GENERATE(true, false);
  auto speedup = [&](double late_ns) {
    return speedup_beside_others({.body = device_right, .late_ns = late_ns}, by_graph, mixing);
  };
  CHECK(speedup(usual_ns / 2) > 1.8);
  CHECK(speedup(usual_ns * 2) < 0.55);
}

TEST_CASE("a driver that shows a candidate one call at a time needs no calls alone") {
  auto one_at_a_time = ke_test::mixing_device();
  one_at_a_time.bands = fake_device().bands;
  auto found = judged({.body = device_right, .late_ns = usual_ns}, one_at_a_time, true, true);
  CHECK(found.counters.at("calls_per_order.wide") > 1);
  CHECK(found.counters.count("saved_us.alone.wide") == 0);
}

TEST_CASE(
    "where inputs are dear, an order has as many calls as it needs, and a launch as many pairs as it can") {
  auto mixing = ke_test::mixing_device();
  mixing.bands = [] {
    auto bands = ke_test::mixing_device().bands();
    bands.least_order_ns = 4e6; // more calls than there is time for
    bands.mix_ns = 300;         // of one byte
    bands.fewest_pairs_ns = 6 * usual_ns;
    return bands;
  };
  auto pairs_of = [](const evidence& found) { return found.launches.at(0).reference_ns.size(); };
  auto dear = judged({.body = device_right, .late_ns = usual_ns}, mixing, true, true);
  CHECK(dear.counters.at("calls_per_order.wide") >= 6);
  CHECK(dear.counters.at("calls_per_order.wide") < 16);
  CHECK(pairs_of(dear) >= plan_of(measure_plan::rank).least_pairs);
  mixing.bands = [] {
    auto bands = ke_test::mixing_device().bands();
    bands.least_order_ns = bands.fewest_pairs_ns = 4e6;
    bands.mix_ns = 300;
    return bands;
  };
  auto dearer = judged({.body = device_right, .late_ns = usual_ns}, mixing, true, true);
  CHECK(dearer.counters.at("calls_per_order.wide") > dear.counters.at("calls_per_order.wide"));
  CHECK(pairs_of(dearer) < pairs_of(dear)); // few, but none that says nothing
  CHECK(pairs_of(dearer) >= 3);
}

TEST_CASE("by calls, what the first one of an order takes on the host hides nothing that the device saves") {
  auto mixing = ke_test::mixing_device();
  auto speedup = [&](const device_kernel& k) { return speedup_beside_others(k, false, mixing); };
  device_kernel honest{.body = device_right, .late_ns = usual_ns / 2, .first_ns = 2 * usual_ns};
  CHECK(speedup(honest) > 1.5); // alone it is slower; as a graph it is not
  // Who can't be captured is none the worse for it: what he saves alone counts.
  CHECK(speedup({.body = device_right, .late_ns = usual_ns / 2, .captured = false}) > 1.8);
  CHECK(speedup({.body = device_right, .late_ns = usual_ns, .captured = false, .merges = true}) ==
        Approx(1).margin(0.05));
}

TEST_CASE("a call is charged with what it saves beyond what it saves alone, and with nothing where little is "
          "known") {
  calls_alone_of alone;
  std::vector<double> usual(8, 10e3), own(8, 4e3);
  for (int i = 0; i < 2; ++i)
    alone.as_timed.add(20e3, 19e3);
  charge_beyond(most_saved_ns(alone), usual, own);
  CHECK(own.front() == 4e3);
  for (int i = 0; i < 30; ++i)
    alone.as_timed.add(20e3 + 10 * i, 19e3);
  charge_beyond(most_saved_ns(alone), usual, own);
  CHECK(own.front() > 7.8e3); // a us, a tenth of it, and what is not certain
  CHECK(own.front() < 8.8e3);
  calls_alone_of slower;
  for (int i = 0; i < 30; ++i)
    slower.as_timed.add(20e3, 30e3);
  charge_beyond(most_saved_ns(slower), usual, own);
  CHECK(own.front() == Approx(10e3).margin(500));
  std::vector<double> slow(8, 30e3);
  charge_beyond(most_saved_ns(slower), usual, slow);
  CHECK(slow.front() == 30e3);
  for (int i = 0; i < 12; ++i)
    slower.replayed.add(20e3, 15e3); // by what the device saves
  std::vector<double> by_device(8, 2e3);
  charge_beyond(most_saved_ns(slower), usual, by_device);
  CHECK(by_device.front() == Approx(4.2e3).margin(500));
}

TEST_CASE("who computes in its turn, before the order, misses the rows that come with it") {
  device_kernel ahead{.body = device_right, .late_ns = usual_ns, .from_turn = true};
  CHECK(judged(ahead).failed > 0);
  auto unpatched = fake_device();
  unpatched.patch_rows = 0;
  CHECK(judged(ahead, unpatched).failed == 0);
}
