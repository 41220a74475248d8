#include "backends/judge/foreign_load.hpp"
#include "backends/judge/noise_gate.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/timing_decision.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

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

TEST_CASE("copies of the baseline are called faster in at most one run of twenty", "[costly]") {
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

TEST_CASE(
    "a device on which the baseline differs from itself by more than a quarter decides only what is far "
    "beyond that") {
  random_source random{17};
  auto decided = [&](double ratio, double width) {
    auto samples = simulated(random, ratio, 2, 12, 0.01, 0.01);
    return compare(samples, two_workloads(), measure_plan::rank, width, 0).decision;
  };
  CHECK(decided(2.5, 0.2) == timing_decision::faster);
  CHECK(decided(1.4, 0.26) == timing_decision::none);
  CHECK(decided(3, 0.26) == timing_decision::faster);
  CHECK(decided(3, 1.5) == timing_decision::none);
  CHECK(decided(0.2, 0.5) == timing_decision::slower);
  CHECK(decided(1, 0.26) == timing_decision::none); // not the same either
}

namespace {

/// How times misbehave: noise of a call, of a launch, drift within a launch, rare long calls, noise that
/// grows with the launch. Ratios of baseline to candidate.
struct world {
  const char* name;
  double call = 0.05, launch = 0.01, drift = 0, tail = 0;
  bool uneven = false; ///< every third launch is four times as noisy
};
const world worlds[] = {
    {"quiet", 0.02, 0.005, 0, 0, false},          {"lognormal", 0.15, 0.01, 0, 0, false},
    {"launches differ", 0.05, 0.03, 0, 0, false}, {"drift", 0.05, 0.01, 0.4, 0, false},
    {"heavy tails", 0.08, 0.01, 0, 0.1, false},   {"uneven", 0.06, 0.01, 0, 0.03, true},
};

/// The whole procedure as the judge runs it: launches one by one, a look after each, the A/A control from the
/// baseline's own samples.
comparison whole_procedure(random_source& random, measure_plan kind, double ratio, const world& w,
                           bool loud = false) {
  problem p;
  p.workloads = {{"a", {}, 1.0, false}};
  std::vector<launch_samples> so_far;
  std::vector<std::vector<double>> control;
  comparison c;
  for (std::uint32_t l = 0; l < plan_of(kind).looks.back().launches; ++l) {
    launch_samples s;
    double shift = w.launch * random.normal(), spread = w.call * (w.uneven && l % 3 == 1 ? 4 : 1);
    for (std::uint32_t i = 0; i < 20; ++i) {
      double now = 1e6 * std::exp(w.drift * i / 20.0);
      auto hit = [&] { return random.uniform() < w.tail ? 1 + 9 * random.uniform() : 1.0; };
      s.reference_ns.push_back(now * std::exp(spread * random.normal()) * hit());
      s.candidate_ns.push_back(now / ratio * std::exp(spread * random.normal() + shift) * hit());
    }
    control.push_back(control_ratios(s.reference_ns));
    so_far.push_back(std::move(s));
    c = compare(so_far, p, kind, control_width(control, kind), 1000, {loud, 0});
    if (c.final)
      break;
  }
  return c;
}

} // namespace

TEST_CASE("copies of the baseline are rarely called faster, whatever the noise looks like", "[costly]") {
  random_source random{21};
  for (const auto& w : worlds)
    for (auto kind : {measure_plan::rank, measure_plan::eval, measure_plan::claim})
      for (bool loud : {false, true}) {
        if (loud && kind == measure_plan::claim)
          continue;
        INFO(w.name << ", " << to_text(kind) << (loud ? ", loud" : ""));
        int faster = 0;
        constexpr int runs = 60;
        for (int i = 0; i < runs; ++i)
          faster += whole_procedure(random, kind, 1.0, w, loud).decision == timing_decision::faster;
        CHECK(faster <= runs / 20);
      }
}

TEST_CASE("the work done twice reads a half, and a doubled speed is named, on a loud machine too",
          "[costly]") {
  random_source random{22};
  for (const auto& w : worlds) {
    INFO(w.name);
    int near = 0, faster = 0;
    constexpr int runs = 60;
    for (int i = 0; i < runs; ++i) {
      auto half = whole_procedure(random, measure_plan::eval, 0.5, w);
      CHECK(half.decision == timing_decision::slower);
      near += half.summary.speedup >= 0.47 && half.summary.speedup <= 0.53;
      faster +=
          whole_procedure(random, measure_plan::rank, 2.0, w, i % 2 == 1).decision == timing_decision::faster;
    }
    CHECK(near >= runs * 95 / 100);
    CHECK(faster >= runs * 95 / 100);
  }
}

TEST_CASE("a control of few pairs is as wide as the worst of them") {
  // Once 0, which made a baseline beside itself faster on a machine whose calls differed by a factor of two.
  const double few[] = {0.1, -0.4, 0.2};
  CHECK(aa_half_width(few) == Approx(std::expm1(0.4)));
  CHECK(aa_half_width({}) == 0);
  const std::vector<double> even(40, 0.0);
  CHECK(aa_half_width(even) == 0);
}

TEST_CASE("a gain of five per cent is never called slower more than one time in twenty", "[costly]") {
  random_source random{23};
  for (const auto& w : worlds)
    for (auto kind : {measure_plan::rank, measure_plan::eval}) {
      INFO(w.name << ", " << to_text(kind));
      int slower = 0, missed = 0;
      constexpr int runs = 100;
      for (int i = 0; i < runs; ++i) {
        auto c = whole_procedure(random, kind, 1.05, w);
        slower += c.decision == timing_decision::slower;
        missed += c.summary.high < 1.05 || c.summary.low > 1.05;
      }
      CHECK(slower <= runs / 20);
      if (kind != measure_plan::rank) // two launches say next to nothing of their spread; `rank` only orders
        CHECK(missed <= runs / 20);
    }
}

TEST_CASE("a candidate far below the baseline gets no second launch in a search, and others do") {
  random_source random{24};
  int slow = 0, equal = 0;
  for (int i = 0; i < 100; ++i) {
    slow += whole_procedure(random, measure_plan::rank, 0.4, worlds[1]).summary.launches == 1;
    equal += whole_procedure(random, measure_plan::rank, 1.0, worlds[1]).summary.launches == 1;
    CHECK(whole_procedure(random, measure_plan::eval, 0.4, worlds[1]).summary.launches >= 5);
  }
  CHECK(slow >= 95);
  CHECK(equal == 0);
}

TEST_CASE("one heavy call in eight counts: a typical call that is fast hides no cost") {
  random_source random{25};
  problem p;
  p.workloads = {{"a", {}, 1.0, false}};
  for (auto kind : {measure_plan::rank, measure_plan::eval}) {
    std::vector<launch_samples> so_far;
    auto looks = plan_of(kind).looks;
    for (std::uint32_t l = 0; l < looks.back().launches; ++l) {
      launch_samples s;
      for (int i = 0; i < 24; ++i) {
        s.reference_ns.push_back(1e6 * std::exp(0.05 * random.normal()));
        s.candidate_ns.push_back((i % 8 == 3 ? 10e6 : 0.7e6) * std::exp(0.05 * random.normal()));
      }
      so_far.push_back(std::move(s));
    }
    auto c = compare(so_far, p, kind, 0.01, 1000);
    INFO(to_text(kind));
    CHECK(c.decision == timing_decision::slower);
    CHECK(c.summary.mean_speedup == Approx(1 / 1.86).epsilon(0.05));
    // One long call by chance is no such cost.
    for (auto& s : so_far)
      for (std::size_t i = 0; i < s.candidate_ns.size(); ++i)
        s.candidate_ns[i] = 0.5e6 * std::exp(0.05 * random.normal());
    so_far[0].candidate_ns[5] = 40e6;
    CHECK(compare(so_far, p, kind, 0.01, 1000).decision == timing_decision::faster);
  }
}

TEST_CASE("a workload of the plan without samples voids the whole, a held-out one only where it is timed") {
  random_source random{26};
  auto p = two_workloads();
  auto samples = simulated(random, 2, 5, 12, 0.01, 0.01);
  p.workloads.push_back({"c", {}, 1.0, true});
  CHECK(compare(samples, p, measure_plan::rank, 0, 0).valid);
  CHECK_FALSE(compare(samples, p, measure_plan::eval, 0, 0).valid);
  p.workloads.back().held_out = false;
  CHECK_FALSE(compare(samples, p, measure_plan::rank, 0, 0).valid);
}

TEST_CASE(
    "what is claimed is what was asked: a held-out workload is no part of speedup, interval and medians") {
  auto p = two_workloads();
  p.workloads[0].held_out = true;
  std::vector<launch_samples> samples;
  for (int l = 0; l < 5; ++l)
    for (std::uint32_t w = 0; w < 2; ++w)
      samples.push_back({w, std::vector<double>(20, w == 0 ? 600.0 + l : 51000.0),
                         std::vector<double>(20, w == 0 ? 900.0 : 1000.0)});
  for (auto kind : {measure_plan::eval, measure_plan::claim}) {
    auto c = compare(samples, p, kind, 0.01, 100);
    REQUIRE(c.valid);
    CHECK(c.decision == timing_decision::faster);
    CHECK(c.summary.speedup == Approx(51));
    CHECK(c.summary.low == Approx(51));
    CHECK(c.summary.mean_speedup == Approx(51));
    CHECK(c.summary.reference_ns == 51000);
    CHECK(c.summary.candidate_ns == 1000);
    CHECK(c.summary.pairs == 100);
    REQUIRE(c.summary.workloads.size() == 2);
    const auto &odd = c.summary.workloads[0], &wide = c.summary.workloads[1];
    CHECK(odd.held_out);
    CHECK(odd.speedup == Approx(602.0 / 900));
    CHECK(odd.reference_ns == 602);
    CHECK(odd.candidate_ns == 900);
    CHECK_FALSE(wide.held_out);
    CHECK(wide.low == Approx(51));
  }
  // Nor can a held-out call of next to no length void what was measured.
  for (auto& s : samples)
    if (s.workload == 0)
      s.candidate_ns.assign(20, 1.0);
  CHECK_FALSE(compare(samples, p, measure_plan::eval, 0.01, 1000).too_short);
}

TEST_CASE("a call that took next to nothing of an empty order decides nothing, and is nobody's failure") {
  random_source random{27};
  auto samples = simulated(random, 2, 2, 8, 0.01, 0.01);
  CHECK(compare(samples, two_workloads(), measure_plan::rank, 0, 20000).decision == timing_decision::faster);
  samples[1].candidate_ns[3] = 20000.0 / 300;
  auto c = compare(samples, two_workloads(), measure_plan::rank, 0, 20000);
  CHECK(c.valid);
  CHECK(c.too_short);
  CHECK(c.decision == timing_decision::none);
}

TEST_CASE("a workload without weight is timed and does not move the mean") {
  auto p = two_workloads();
  p.workloads[0].weight = 0;
  std::vector<launch_samples> samples;
  for (int l = 0; l < 2; ++l)
    for (std::uint32_t w = 0; w < 2; ++w)
      samples.push_back({w, std::vector<double>(10, w == 0 ? 800.0 : 200.0), std::vector<double>(10, 100.0)});
  auto c = compare(samples, p, measure_plan::rank, 0, 0);
  CHECK(c.summary.speedup == Approx(2.0));
  CHECK(c.summary.workloads.size() == 2);
}

TEST_CASE("a loud machine takes more launches for what is close and none for what is clear") {
  random_source random{28};
  auto c = whole_procedure(random, measure_plan::rank, 1.2, worlds[0], true);
  CHECK(c.summary.launches == 4);
  CHECK(c.decision == timing_decision::faster);
  c = whole_procedure(random, measure_plan::rank, 1.2, worlds[0], false);
  CHECK(c.summary.launches == 2);
  c = whole_procedure(random, measure_plan::rank, 2.0, worlds[0], true);
  CHECK(c.summary.launches == 2);
}

TEST_CASE("processor ticks are read per processor and the host's share is kept apart") {
  const char* text = "cpu  100 10 20 800 5 1 2 30 7 0\n"
                     "cpu0 60 5 10 400 5 1 1 10 7 0\n"
                     "cpu1 40 5 10 400 0 0 1 20 0 0\nintr 5 6\n";
  auto all = parse_cpu_ticks(text, {});
  CHECK(all.busy == 133);
  CHECK(all.stolen == 30);
  CHECK(all.total == 968);
  auto one = parse_cpu_ticks(text, {1});
  CHECK(one.busy == 56);
  CHECK(one.stolen == 20);
  CHECK(parse_cpu_ticks("", {0}).total == 0);
}

namespace {

/// An evaluation of a kernel twice as fast, on a machine whose launches and runs differ as `spread` says.
comparison evaluated(random_source& random, measure_plan kind, const usual_spread& spread,
                     double ratio = 2.0) {
  problem p;
  p.workloads = {{"a", {}, 1.0, false}};
  std::vector<launch_samples> so_far;
  double run = spread.run * random.normal();
  comparison c;
  while (!c.final && so_far.size() < plan_of(kind).looks.back().launches) {
    auto launch = simulated(random, ratio * std::exp(run), 1, 12, 0.03, spread.launch);
    std::erase_if(launch, [](const launch_samples& l) { return l.workload != 0; });
    so_far.insert(so_far.end(), launch.begin(), launch.end());
    c = compare(so_far, p, kind, 0.01, 1000, {false, 0, spread});
  }
  return c;
}

} // namespace

TEST_CASE("a second evaluation's estimate lies in the first's interval, or nothing is said", "[costly]") {
  random_source random{41};
  const usual_spread host{0.04, 0.025};
  for (auto kind : {measure_plan::rank, measure_plan::eval}) {
    INFO(to_text(kind));
    int known = 0, covered = 0, narrow = 0;
    for (int i = 0; i < 200; ++i) {
      auto first = evaluated(random, kind, host), second = evaluated(random, kind, host);
      if (first.decision == timing_decision::none)
        continue;
      ++known;
      covered += second.summary.speedup >= first.summary.low && second.summary.speedup <= first.summary.high;
      narrow += first.summary.high <= 1.25 * first.summary.low;
    }
    CHECK(known >= 190);
    CHECK(covered >= known * 92 / 100);
    CHECK(narrow >= known * 85 / 100);
  }
  // What differs by less than machines do by themselves is no difference to a search.
  int faster = 0;
  for (int i = 0; i < 100; ++i)
    faster += evaluated(random, measure_plan::rank, host, 1.04).decision == timing_decision::faster;
  CHECK(faster <= 10);
}

TEST_CASE("few launches are believed as far as many others bear them out") {
  const usual_spread usual{0.04, 0.02};
  const std::vector<double> equal{0.5, 0.5}, apart{0.4, 0.6};
  double half = prediction_half_width(equal, usual);
  CHECK(half > 2 * 0.02); // two runs differ, however alike the launches of one
  CHECK(half < prediction_half_width(apart, usual));
  CHECK(prediction_half_width(std::vector<double>(40, 0.5), usual) < half);
  CHECK(prediction_half_width(equal, {}) == 0); // nobody knows what is usual
  CHECK(prediction_half_width({}, usual) == 0);
}

TEST_CASE("others' work is what the machine has worked and nobody here has") {
  CHECK(seconds_in_cpu_stat("usage_usec 2500000\nuser_usec 1\n") == Approx(2.5));
  CHECK(seconds_in_cpu_stat("nothing") == 0);
  REQUIRE(machine_seconds() > 0);
  foreign_load others{1};
  others.begin(10);
  auto work = [](double until_s) {
    auto begun = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() < until_s) {
    }
  };
  pid_t child = fork();
  if (child == 0) {
    work(0.5);
    _exit(0);
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  double seen = others.seen(10);
  CHECK(seen > 0.4); // of half a second or, on a loaded machine, of others' besides
  CHECK_FALSE(others.is_calm(std::max(seen, 1e3)));
  CHECK(others.seen(10 + 0.45) < seen); // the same, but it is known to be ours
}
