#include "backends/judge/random.hpp"
#include "backends/statistics.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ke;

namespace {

problem two_workloads() {
  problem p;
  p.workloads = {{"a", {}, 1.0, false}, {"b", {}, 3.0, false}};
  return p;
}

/// Samples of a candidate that is `ratio` times as fast, with noise per pair and per launch, and rare slow
/// outliers.
std::vector<launch_samples> simulated(random_source& random, double ratio, std::uint32_t launches,
                                      std::uint32_t pairs, double pair_noise, double launch_noise) {
  std::vector<launch_samples> all;
  for (std::uint32_t l = 0; l < launches; ++l)
    for (std::uint32_t w = 0; w < 2; ++w) {
      launch_samples s;
      s.workload = w;
      double shift = launch_noise * random.normal();
      for (std::uint32_t i = 0; i < pairs; ++i) {
        auto hit = [&] { return random.below(20) == 0 ? 3.0 : 1.0; };
        s.reference_ns.push_back(1e6 * std::exp(pair_noise * random.normal()) * hit());
        s.candidate_ns.push_back(1e6 / ratio * std::exp(pair_noise * random.normal() + shift) * hit());
      }
      all.push_back(std::move(s));
    }
  return all;
}

/// Runs the looks of a plan as the judge does.
comparison procedure(random_source& random, measure_plan kind, double ratio, double pair_noise,
                     double launch_noise) {
  auto p = two_workloads();
  std::vector<launch_samples> so_far;
  comparison c;
  for (std::uint32_t l = 0; l < plan_of(kind).looks.back().launches; ++l) {
    auto more = simulated(random, ratio, 1, 12, pair_noise, launch_noise);
    so_far.insert(so_far.end(), more.begin(), more.end());
    c = compare(so_far, p, kind, 0.01, 1000);
    if (c.final)
      break;
  }
  return c;
}

} // namespace

TEST_CASE("Student's quantiles agree with the tables") {
  CHECK(student_quantile(0.975, 4) == Approx(2.7764).epsilon(1e-4));
  CHECK(student_quantile(0.9975, 4) == Approx(5.5976).epsilon(1e-4));
  CHECK(student_quantile(0.995, 11) == Approx(3.1058).epsilon(1e-4));
  CHECK(student_quantile(0.025, 19) == Approx(-2.0930).epsilon(1e-4));
}

TEST_CASE("the Hodges-Lehmann estimate ignores an outlier") {
  std::vector<double> values{1.0, 1.1, 0.9, 1.05, 0.95, 50.0};
  CHECK(hodges_lehmann(values) == Approx(1.05).margin(0.06));
  CHECK(hodges_lehmann({}) == 0);
}

TEST_CASE(
    "the signed-rank interval has the order statistics of the tables and is infinite for too few values") {
  std::vector<double> eight{1, 2, 3, 4, 5, 6, 7, 8};
  auto i = signed_rank_interval(eight, 0.05); // critical value 3: the fourth Walsh average from each end
  CHECK(i.estimate == Approx(4.5));
  CHECK(i.low == Approx(2.0));
  CHECK(i.high == Approx(7.0));
  std::vector<double> four{1, 2, 3, 4};
  CHECK(std::isinf(signed_rank_interval(four, 0.05).low));
}

TEST_CASE("the intervals cover the true ratio as often as they say") {
  random_source random{11};
  int rank_hits = 0, eval_hits = 0;
  constexpr int runs = 300;
  for (int i = 0; i < runs; ++i) {
    auto rank = procedure(random, measure_plan::rank, 1.5, 0.1, 0.01);
    rank_hits += rank.summary.low <= 1.5 && 1.5 <= rank.summary.high;
    auto eval = procedure(random, measure_plan::eval, 1.5, 0.1, 0.01);
    eval_hits += eval.summary.low <= 1.5 && 1.5 <= eval.summary.high;
  }
  CHECK(rank_hits >= runs * 93 / 100);
  CHECK(eval_hits >= runs * 95 / 100);
}

TEST_CASE("copies of the baseline are called faster in at most one run of twenty") {
  random_source random{12};
  int faster_rank = 0, faster_eval = 0;
  constexpr int runs = 300;
  for (int i = 0; i < runs; ++i) {
    faster_rank += procedure(random, measure_plan::rank, 1.0, 0.15, 0.01).decision == timing_decision::faster;
    faster_eval += procedure(random, measure_plan::eval, 1.0, 0.15, 0.02).decision == timing_decision::faster;
  }
  CHECK(faster_rank <= runs / 20);
  CHECK(faster_eval <= runs / 20);
}

TEST_CASE("a kernel that is twice as fast is faster in every run even under heavy noise") {
  random_source random{13};
  for (int i = 0; i < 100; ++i) {
    CHECK(procedure(random, measure_plan::rank, 2.0, 0.25, 0.02).decision == timing_decision::faster);
    CHECK(procedure(random, measure_plan::eval, 2.0, 0.25, 0.02).decision == timing_decision::faster);
  }
}

TEST_CASE("a kernel that does the work twice is slower at half the speed") {
  random_source random{14};
  auto c = procedure(random, measure_plan::eval, 0.5, 0.05, 0.01);
  CHECK(c.decision == timing_decision::slower);
  CHECK(c.summary.speedup == Approx(0.5).epsilon(0.05));
}

TEST_CASE("the workloads' geometric mean is weighted") {
  auto p = two_workloads();
  std::vector<launch_samples> samples;
  for (int l = 0; l < 2; ++l)
    for (std::uint32_t w = 0; w < 2; ++w) {
      launch_samples s{w, std::vector<double>(10, w == 0 ? 400.0 : 200.0), std::vector<double>(10, 100.0)};
      samples.push_back(s);
    }
  auto c = compare(samples, p, measure_plan::rank, 0, 0);
  CHECK(c.summary.speedup == Approx(std::pow(4.0, 0.25) * std::pow(2.0, 0.75)));
  CHECK(c.summary.workloads.at(0).speedup == Approx(4.0));
  CHECK(c.summary.pairs == 40);
  CHECK(c.summary.launches == 2);
}

TEST_CASE("one sample that is no time voids the whole comparison") {
  auto p = two_workloads();
  for (double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    random_source random{15};
    auto samples = simulated(random, 2, 2, 8, 0.01, 0.01);
    samples[1].candidate_ns[3] = bad;
    CHECK_FALSE(compare(samples, p, measure_plan::rank, 0, 0).valid);
  }
  random_source random{16};
  auto samples = simulated(random, 2, 2, 8, 0.01, 0.01);
  samples.pop_back(); // a workload lacks its second launch
  CHECK_FALSE(compare(samples, p, measure_plan::rank, 0, 0).valid);
}

TEST_CASE("a device on which the baseline differs from itself by a quarter decides nothing") {
  random_source random{17};
  auto samples = simulated(random, 3, 2, 12, 0.01, 0.01);
  CHECK(compare(samples, two_workloads(), measure_plan::rank, 0.2, 0).decision == timing_decision::faster);
  CHECK(compare(samples, two_workloads(), measure_plan::rank, 0.26, 0).decision == timing_decision::none);
}
