// What a device's readings are held against, and what keeps them steady.
#include "backends/judge/drivers/awake_processor.hpp"
#include "backends/judge/drivers/device_turns.hpp"
#include "backends/judge/noise_gate.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/stopwatch.hpp"

#include <catch2/catch.hpp>

#include <sched.h>
#include <unistd.h>

using namespace ke;

namespace {

constexpr double us = 1e3, patience_s = 30;

/// What orders of nothing read.
turn_bands bands_of_nothing() {
  turn_bands bands;
  bands.fence_ns = 145 * us;
  bands.fence_band_ns = 6 * us;
  return bands;
}

/// So many pairs, the reference's order first: all readings drift upwards, and the process's are longer by these.
turn_shifts shifts_after(int pairs, double fence_ns, double primer_ns) {
  turn_readings of_reference;
  turn_shifts shifts;
  std::uint64_t number = 0;
  for (int i = 0; i < pairs; ++i) {
    double drift = i * 3 * us;
    of_reference.add({150 * us + drift, 180 * us + drift, ++number});
    shifts.add({150 * us + drift + fence_ns, 180 * us + drift + primer_ns, ++number}, of_reference);
  }
  return shifts;
}

constexpr int not_ours = CPU_SETSIZE - 1; ///< a processor on which this test can't run

cpu_ticks& ticks_told() {
  static cpu_ticks ticks;
  return ticks;
}

double spent_in(awake_processor& a, double seconds) {
  (void)a.taken_s();
  double spent = 0;
  for (auto begun = steady::now(); seconds_since(begun) < seconds;)
    spent += a.taken_s();
  return spent;
}

} // namespace

TEST_CASE("Bug: fences that come after gigabytes were touched were charged as work left behind") {
  const auto bands = bands_of_nothing();
  turn_readings of_reference;
  CHECK(of_reference.fence_over_ns(160 * us, bands) == Approx(15 * us)); // little is known yet
  for (std::uint64_t i = 0; i < 20; ++i)
    of_reference.add({(154 + i % 10) * us, 180 * us, i});
  CHECK(of_reference.fence_over_ns(160 * us, bands) == 0);
  CHECK(of_reference.fence_over_ns(166 * us, bands) == 0);
  CHECK(of_reference.fence_over_ns(178 * us, bands) ==
        Approx(19.5 * us).margin(1 * us)); // 20 us that were left
  turn_readings of_a_busy_one;
  for (std::uint64_t i = 0; i < 20; ++i)
    of_a_busy_one.add({900 * us, 180 * us, i});
  CHECK(of_a_busy_one.fence_over_ns(900 * us, bands) == Approx(715 * us)); // that is no band
}

TEST_CASE("Bug: an honest process was charged for a drift that its reference's orders share") {
  CHECK(shifts_after(30, 0, 0).usual_ns() == 0);
  CHECK(shifts_after(30, 1 * us, 9 * us).usual_ns() == 0); // processes differ by so much
  CHECK(shifts_after(30, 4 * us, 0).usual_ns() == Approx(4 * us));
  CHECK(shifts_after(30, 0, 25 * us).usual_ns() == Approx(25 * us));
  CHECK(shifts_after(4, 40 * us, 0).usual_ns() == 0); // too few
}

TEST_CASE("a process's turns are held against orders right beside them alone") {
  turn_readings of_reference;
  turn_shifts shifts;
  CHECK(of_reference.last() == nullptr);
  of_reference.add({150 * us, 180 * us, 1});
  for (std::uint64_t i = 0; i < 10; ++i)
    shifts.add({190 * us, 180 * us, 10 + i}, of_reference); // of another form, long ago
  CHECK(shifts.usual_ns() == 0);
}

TEST_CASE(
    "a processor is kept awake between orders, gives way when it is told to, and is not kept for long") {
  awake_processor one{cpus_for(1).front()};
  // Others may have the processor for as long as they like: it is of the lowest class.
  auto spins = [&] {
    for (auto begun = steady::now(); seconds_since(begun) < patience_s; one.spin())
      if (spent_in(one, 0.01) > 0)
        return true;
    return false;
  };
  auto rests = [&] {
    for (auto begun = steady::now(); seconds_since(begun) < patience_s;)
      if (spent_in(one, 0.02) < 0.002)
        return true;
    return false;
  };
  CHECK(rests()); // at first
  one.spin();
  REQUIRE(spins());
  one.rest();
  CHECK(spent_in(one, 0.02) < 0.005);
  one.spin();
  REQUIRE(spins());
  CHECK(rests()); // by itself
}

TEST_CASE("Bug: what a driver's process worked as it started counted as others' work") {
  auto& ticks = ticks_told();
  ticks = {};
  noise_gate gate{{not_ours},
                  [](const std::vector<int>&) { return clock_reading{}; },
                  [](const std::vector<int>&) { return others_reading{ticks_told(), 0}; }};
  auto pass = [&](std::uint64_t busy, std::uint64_t total) {
    ticks.busy += busy;
    ticks.total += total;
  };
  const auto second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  for (int launch = 0; launch < 3; ++launch) {
    pass(second, second); // both processes load
    gate.resume();
    pass(second, 2 * second); // of that half a second is an order's
    gate.pause();
  }
  CHECK(gate.facts(1.5).at("gate.others") == Approx(0.25));
  CHECK(gate.facts(1.5).at("gate.loud") == 0);
  CHECK(gate.facts(0.0).at("gate.others") ==
        Approx(0.5)); // the judge works elsewhere: its own seconds are none of these
  CHECK(gate.facts(0.0).at("gate.loud") == 1);
  gate.pause(); // it has paused
  CHECK(gate.facts(1.5).at("gate.others") == Approx(0.25));
}
