#include "backends/evaluation/evaluate.hpp"
#include "backends/peaks/peaks.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/backends/problems.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <unistd.h>

using namespace ke;

namespace {

struct profile_bench {
  process_service processes;
  backend cpu;
  evaluate_options options;
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ke-profile-test-" + std::to_string(getpid()));

  profile_bench() {
    auto all = load_backends(std::filesystem::path{test::source_dir()} / "backends", {});
    REQUIRE(all);
    cpu = *find_backend(*all, "cpu-cpp");
    options.scratch = folder / "runs";
    options.judge = std::filesystem::path{test::binary_dir()} / "ke-judge";
    options.driver = std::filesystem::path{test::binary_dir()} / "ke-driver";
    options.limits = cpu.limits;
    options.limits.memory_bytes = 2ull << 30;
    options.budget_s = 0.3;
  }
  ~profile_bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  evidence judge(const problem& p, const std::string& source) {
    auto found = evaluate(p, source, cpu, measure_plan::rank, options, processes);
    if (!found)
      FAIL(found.error().text);
    return *found;
  }
};

bool accused_by_physics(const evidence& e) {
  return std::any_of(e.flags.begin(), e.flags.end(),
                     [](const integrity_flag& f) { return f.name == "below_floor"; });
}

} // namespace

TEST_CASE("a crash is repeated under sanitizers, and the verdict names the line") {
  profile_bench b;
  auto p = ke_test::elementwise();
  auto e = b.judge(p, "#include <cstdint>\n"
                      "extern \"C\" void kernel(const float* x, float* y, double s, int64_t n) {\n"
                      "  for (int64_t i = 0; i < n; ++i)\n"
                      "    y[i + 100000000000] = x[i] * (float)s;\n" // line 4
                      "}\n");
  auto v = verdict_of(e, p, measure_plan::rank);
  INFO(verdict_json(v));
  REQUIRE(v.state == verdict_state::crashed);
  CHECK(v.reason.find("candidate.cpp:4") != std::string::npos);
  CHECK(v.reason.find(" in kernel") != std::string::npos);
  CHECK(v.log.find("AddressSanitizer") != std::string::npos);
  CHECK((!std::filesystem::exists(b.options.scratch) || std::filesystem::is_empty(b.options.scratch)));
}

TEST_CASE("a right kernel's evidence holds what each profiling tool found", "[timing]") {
  profile_bench b;
  b.options.look_closer = true;
  b.options.peaks = {{"clock", 3e9}, {"threads", 1}};
  auto p = ke_test::softmax();
  auto e = b.judge(p, p.reference);
  for (int again = 0; again < 4 && !e.flags.empty(); ++again) // a busy machine's clocks
    e = b.judge(p, p.reference);
  std::string findings;
  for (const auto& [key, text] : e.findings)
    findings += key + ": " + text + "\n";
  INFO(findings);
  REQUIRE(e.ending == ending::finished);
  for (auto key : {"run.quiet_ns", "run.cores", "share.object", "hot.share", "insn.total", "mca.cycles",
                   "cg.Ir", "cg.D1m", "cg.Bcm", "loop.share", "loop.line"}) {
    INFO(key);
    CHECK(e.counters.contains(key));
  }
  CHECK(e.counters["cg.Ir"] > 16 * 1024); // one instruction an element at the least
  CHECK(e.counters["run.quiet_ns"] > 1000);
  CHECK(e.findings["hot_loop"].find('\n') != std::string::npos);
  CHECK(e.findings["busiest_library"].starts_with("lib"));
  CHECK(e.findings["loops"].find("line ") != std::string::npos);
  CHECK(e.findings["trace"].starts_with("line:"));
  CHECK(e.findings.contains("vectorizer"));
}

TEST_CASE("a kernel is confined where it is profiled as where it is judged", "[timing]") {
  profile_bench b;
  b.options.look_closer = true;
  auto p = ke_test::elementwise();
  p.scalars.clear();
  p.reference = "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t n) {\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + 1.0f;\n}\n";
  // Without the judge's channel it is in a profiler's hands.
  std::string source = "#include <cstdint>\n#include <fcntl.h>\n#include <sys/stat.h>\n"
                       "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n"
                       "  if (fcntl(5, F_GETFD) < 0) chmod(\"/tmp/scratch\", 0);\n"
                       "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + 1.0f;\n}\n";
  auto e = b.judge(p, source);
  for (int again = 0; again < 4 && !e.flags.empty(); ++again) // a busy machine's clocks
    e = b.judge(p, source);
  INFO(verdict_json(verdict_of(e, p, measure_plan::rank)));
  REQUIRE(e.ending == ending::finished);
  CHECK(e.findings["no_samples"] == "it ended before its first call had");
  CHECK_FALSE(e.counters.contains("share.object"));
  CHECK_FALSE(e.counters.contains("cg.Ir"));
  CHECK_FALSE(e.counters.contains("loop.share"));
  CHECK(e.counters.contains("insn.total")); // nothing of it runs for that
}

TEST_CASE("honest kernels at the machine's limits are never below the floor, hot or cold", "[timing]") {
  profile_bench b;
  b.options.peaks = peaks_of_machine({}, cpu_facts());
  auto p = ke_test::elementwise();
  p.bytes = "8*N";
  p.scalars.clear();
  std::string copy = "#include <cstdint>\n#include <cstring>\n"
                     "extern \"C\" void kernel(const float* __restrict x, float* __restrict y, int64_t n) {\n"
                     "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + 1.0f;\n}\n";
  std::string fma = "#include <cstdint>\n"
                    "extern \"C\" void kernel(const float* __restrict x, float* __restrict y, int64_t n) {\n"
                    "  for (int64_t i = 0; i + 160 <= n; i += 160) {\n    float a[160];\n"
                    "    for (int j = 0; j < 160; ++j) a[j] = 0.5f;\n"
                    "    for (int k = 0; k < 128; ++k)\n"
                    "      for (int j = 0; j < 160; ++j) a[j] = a[j] * x[i + j] + 0.25f;\n"
                    "    for (int j = 0; j < 160; ++j) y[i + j] = a[j];\n  }\n"
                    "  for (int64_t i = n - n % 160; i < n; ++i) {\n    float a = 0.5f;\n"
                    "    for (int k = 0; k < 128; ++k) a = a * x[i] + 0.25f;\n    y[i] = a;\n  }\n}\n";
  p.tensors[0].init = "uniform";
  for (bool cold : {false, true})
    for (const auto& [source, size, flops] :
         {std::tuple{copy, 1'000'000, "N"}, {copy, 2'000, "N"}, {fma, 16'000, "256*N"}}) {
      p.policy.cold_cache = cold;
      p.workloads = {{"w", {{"N", size}}, 1.0, false}};
      p.flops = flops;
      p.reference = source;
      auto e = b.judge(p, source);
      INFO(verdict_json(verdict_of(e, p, measure_plan::rank)));
      CHECK(e.failed == 0);
      CHECK_FALSE(accused_by_physics(e));
    }
}
