#include "backends/evaluation/evaluate.hpp"
#include "backends/peaks/peaks.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/diagnosis/kernels.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <unistd.h>

using namespace ke;

namespace {

struct bench {
  process_service processes;
  backend cpu;
  evaluate_options options;
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ke-calibration-" + std::to_string(getpid()));

  bench() {
    auto all = load_backends(std::filesystem::path{test::source_dir()} / "backends", {});
    REQUIRE(all);
    cpu = *find_backend(*all, "cpu-cpp");
    options.scratch = folder / "runs";
    options.judge = std::filesystem::path{test::binary_dir()} / "ke-judge";
    options.driver = std::filesystem::path{test::binary_dir()} / "ke-driver";
    options.limits = cpu.limits;
    options.budget_s = 0.4;
    options.look_closer = true;
    options.peaks = peaks_of_machine(folder / "peaks", cpu_facts());
  }
  ~bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  verdict judge(const problem& p) {
    auto found = evaluate(p, p.reference, cpu, measure_plan::rank, options, processes);
    if (!found)
      FAIL(found.error().text);
    for (const auto& [key, value] : found->counters)
      if (std::getenv("KE_KERNEL") && !key.starts_with("peak."))
        std::printf("    %s = %.6g\n", key.c_str(), value);
    return verdict_of(*found, p, measure_plan::rank);
  }
};

/// A subset by name, for one who looks at one of them.
bool wanted(const std::string& name) {
  const char* only = std::getenv("KE_KERNEL");
  return !only || name.find(only) != std::string::npos;
}

struct diagnosed {
  std::string name, made_for, said;
  bool right = false;  ///< its bottleneck
  bool caused = false; ///< and what it is laid to
};

diagnosed diagnose(bench& b, const ke_test::known_kernel& k) {
  auto v = b.judge(k.what);
  INFO(k.name << ": " << verdict_json(v));
  // A candidate that is the baseline, on a machine that may be busy: what the time says is another test's.
  CHECK((v.state == verdict_state::correct || v.state == verdict_state::noisy));
  auto d = v.diagnosis.value_or(diagnosis{});
  diagnosed r{k.name, k.bottlenecks.front(), v.diagnosis ? d.bottleneck : std::string{to_text(v.state)}};
  r.right = std::find(k.bottlenecks.begin(), k.bottlenecks.end(), r.said) != k.bottlenecks.end();
  r.caused = d.cause == k.cause;
  std::printf("%-24s made for %-10s said %-10s %.2f%s, by %s%s\n", r.name.c_str(), r.made_for.c_str(),
              r.said.c_str(), d.confidence, r.right ? "" : "   <-", d.cause.c_str(),
              r.caused ? "" : ("   <- " + k.cause).c_str());
  for (const auto& [key, text] : d.evidence)
    std::printf("    %s: %s\n", key.c_str(), text.c_str());
  std::fflush(stdout);
  return r;
}

void print_table(const std::vector<diagnosed>& all) {
  static constexpr const char* names[] = {"memory",    "compute",  "latency",
                                          "occupancy", "frontend", "overhead"};
  std::printf("\nmade for \\ said");
  for (auto said : names)
    std::printf("%11s", said);
  std::printf("\n");
  for (auto made : names) {
    std::printf("%-15s", made);
    for (auto said : names)
      std::printf("%11ld", static_cast<long>(std::count_if(all.begin(), all.end(), [&](const diagnosed& d) {
                    return d.made_for == made && d.said == said;
                  })));
    std::printf("\n");
  }
}

} // namespace

TEST_CASE("kernels made for one bottleneck are told apart, in each of three rounds") {
  bench b;
  std::vector<diagnosed> seen;
  for (int round = 1; round <= 3; ++round) {
    std::ptrdiff_t all = 0, right = 0, caused = 0;
    for (const auto& k : ke_test::known_kernels()) {
      if (!wanted(k.name))
        continue;
      auto d = diagnose(b, k);
      ++all;
      right += d.right;
      caused += d.caused;
      seen.push_back(std::move(d));
    }
    std::printf("round %d: %td of %td right, %td by their causes\n", round, right, all, caused);
    CHECK(right >= all - 1);
    CHECK(caused >= all - 1);
  }
  for (const auto& d : seen)
    if (d.name == "stream" || d.name == "fma" || d.name == "pointer chase")
      CHECK(d.right);
  print_table(seen);
}
