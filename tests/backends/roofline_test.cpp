#include "backends/verdict/roofline.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::map<std::string, double> machine{{"threads", 2},
                                            {"size.l1", 32768},
                                            {"size.l2", 1 << 20},
                                            {"size.l3", 32 << 20},
                                            {"bytes.l1.1", 200e9},
                                            {"bytes.l1.all", 400e9},
                                            {"bytes.l2.1", 100e9},
                                            {"bytes.l2.all", 200e9},
                                            {"bytes.l3.1", 80e9},
                                            {"bytes.l3.all", 150e9},
                                            {"bytes.dram.1", 40e9},
                                            {"bytes.dram.all", 50e9},
                                            {"flops.f32.avx2.1", 1e11},
                                            {"flops.f32.avx2.all", 2e11},
                                            {"flops.f64.avx2.1", 5e10},
                                            {"flops.f64.avx2.all", 1e11}};

/// y = f(x): 8 bytes and `flops` operations an element.
problem pointwise(std::int64_t n, bool cold = false, std::string flops = "N") {
  problem p;
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"w", {{"N", n}}, 1.0, false}};
  p.bytes = "8*N";
  p.flops = std::move(flops);
  p.policy.cold_cache = cold;
  return p;
}

std::vector<launch_samples> times(double candidate_s, double reference_s) {
  return {{0, std::vector<double>(9, reference_s * 1e9), std::vector<double>(9, candidate_s * 1e9)}};
}

} // namespace

TEST_CASE("a peak for some threads: what each core has adds up, what they share does not") {
  CHECK(peak_rate(machine, "bytes.l2", 1) == 100e9);
  CHECK(peak_rate(machine, "bytes.l2", 2) == 200e9);
  CHECK(peak_rate(machine, "bytes.dram", 2) == 50e9);
  CHECK(peak_rate(machine, "bytes.dram", 64) == 50e9);
  CHECK(peak_rate(machine, "flops.f32", 2) == 2e11);
  CHECK(peak_rate(machine, "flops.i8", 1) == 0);
  CHECK(peak_rate({}, "bytes.l1", 1) == 0);
}

TEST_CASE("a working set lives in the first level that holds it") {
  CHECK(level_of(30'000, machine, 1) == "l1");
  CHECK(level_of(40'000, machine, 1) == "l2");
  CHECK(level_of(40'000, machine, 2) == "l1");
  CHECK(level_of(8e6, machine, 1) == "l3");
  CHECK(level_of(8e7, machine, 1) == "dram");
  CHECK(level_of(10, {}, 1) == "dram");
}

TEST_CASE("the floor of a hot call is its bytes at the speed of the cache that holds them") {
  auto p = pointwise(2000); // 16 kB
  auto f = floor_of(p, p.workloads[0], machine);
  REQUIRE(f);
  CHECK(f->by_memory);
  CHECK(f->level == "l1");
  CHECK(f->seconds == Approx(16'000 / 200e9));
  auto large = pointwise(50'000'000); // 400 MB: all but what the caches hold comes from memory
  f = floor_of(large, large.workloads[0], machine);
  REQUIRE(f);
  CHECK(f->level == "dram");
  CHECK(f->seconds == Approx(400e6 * (1 - (32 + 1) * 1048576 / 400e6) / 40e9));
  auto between = pointwise(4200); // 33.6 kB, a little more than the first level: mostly in it
  f = floor_of(between, between.workloads[0], machine);
  REQUIRE(f);
  CHECK(f->level == "l1");
}

TEST_CASE("the floor of a cold call is its inputs at the speed of memory") {
  auto p = pointwise(2000, true);
  auto f = floor_of(p, p.workloads[0], machine);
  REQUIRE(f);
  CHECK(f->level == "dram");
  CHECK(f->seconds == Approx(8'000 / 40e9)); // its results may stay in the cache
}

TEST_CASE("the floor of much arithmetic is the rate of the dtype's fastest unit") {
  auto p = pointwise(2000, false, "1000*N");
  auto f = floor_of(p, p.workloads[0], machine);
  REQUIRE(f);
  CHECK_FALSE(f->by_memory);
  CHECK(f->seconds == Approx(2e6 / 1e11));
  p.tensors[0].dtype = p.tensors[1].dtype = dtype::f64;
  CHECK(floor_of(p, p.workloads[0], machine)->seconds == Approx(2e6 / 5e10));
  p.tensors[1].dtype = dtype::bf16; // no unit for it here: what f32 does
  CHECK(floor_of(p, p.workloads[0], machine)->seconds == Approx(2e6 / 1e11));
  p.policy.threads = 2;
  CHECK(floor_of(p, p.workloads[0], machine)->seconds == Approx(2e6 / 2e11));
}

TEST_CASE("nothing is known of the floor without a cost formula or without peaks") {
  auto p = pointwise(2000);
  CHECK_FALSE(floor_of(p, p.workloads[0], {}));
  p.bytes.clear();
  p.flops.clear();
  CHECK_FALSE(floor_of(p, p.workloads[0], machine));
  CHECK(below_floor(p, times(1e-12, 1), machine).empty());
}

TEST_CASE("a time that physics forbids is a suspicion, never a result") {
  auto p = pointwise(50'000'000);
  auto flags = below_floor(p, times(1e-6, 0.02), machine); // 400 MB in a microsecond: skipped the work
  REQUIRE(flags.size() == 1);
  CHECK(flags[0].name == "below_floor");
  CHECK(flags[0].evidence.find("1 us") != std::string::npos);
  CHECK(flags[0].evidence.find("dram") != std::string::npos);
  evidence e;
  e.cases = 10;
  e.timed_calls = e.timed_calls_checked = 9;
  e.launches = times(1e-6, 0.02);
  e.flags = flags;
  auto v = verdict_of(e, p, measure_plan::rank);
  CHECK(v.state == verdict_state::cheating_suspected);
  CHECK(v.score == 0.0);
  auto busy = pointwise(2000, false, "1000*N");
  CHECK(below_floor(busy, times(1e-6, 1e-3), machine).size() == 1); // 2 Tflop/s on 100 Gflop/s
}

TEST_CASE("an honest kernel at the machine's very peak is not below the floor") {
  for (bool cold : {false, true})
    for (std::int64_t n : {1'000, 4'000, 60'000, 1'000'000, 50'000'000}) {
      auto p = pointwise(n, cold, "100*N");
      auto f = floor_of(p, p.workloads[0], machine);
      REQUIRE(f);
      CHECK(below_floor(p, times(f->seconds, 3 * f->seconds), machine).empty());
      // 15% faster than what was measured as the peak: a busy machine when it was measured.
      CHECK(below_floor(p, times(0.85 * f->seconds, 3 * f->seconds), machine).empty());
    }
}

TEST_CASE("peaks that were measured among noise accuse less easily") {
  auto p = pointwise(50'000'000);
  auto f = floor_of(p, p.workloads[0], machine);
  auto noisy = machine;
  noisy["noise"] = 0.4;
  CHECK(below_floor(p, times(0.6 * f->seconds, 1), machine).size() == 1);
  CHECK(below_floor(p, times(0.6 * f->seconds, 1), noisy).empty());
}

TEST_CASE("a floor that the baseline itself is below proves the formula wrong, not the candidate") {
  auto p = pointwise(50'000'000);
  p.bytes = "8000*N";
  CHECK(below_floor(p, times(0.01, 0.012), machine).empty());
}

TEST_CASE("fast algorithms for products and convolutions are not below the floor") {
  auto p = pointwise(2000, false, "1000*N");
  p.family = "conv";
  CHECK(floor_of(p, p.workloads[0], machine)->seconds == Approx(2e6 * 0.25 / 1e11));
}
