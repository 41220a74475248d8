// What tools of a device print, as they printed it: tests/fixtures/ncu is Nsight Compute 2025.3 on an H200.
#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/evaluate.hpp"
#include "backends/evaluation/step_readers.hpp"
#include "backends/evidence/device_sanitizer.hpp"
#include "backends/evidence/metric_roles.hpp"
#include "backends/evidence/ncu_report.hpp"
#include "backends/verdict/device_shares.hpp"
#include "backends/verdict/diagnosis.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/self_process.hpp"
#include "tests/backends/problems.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

using namespace ke;
using Catch::Matchers::Contains;

namespace {

std::string recorded(const std::string& name) {
  std::ifstream in{std::filesystem::path{ke::test::source_dir()} / "tests/fixtures/ncu" / name};
  REQUIRE(in);
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The diagnosis of a call that takes as long as its kernels.
diagnosis diagnosed(const profile_result& seen) {
  problem what;
  what.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
                  {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  what.workloads = {{"w", {{"N", 1024}}, 1.0, false}};
  evidence e;
  e.counters = seen.counters;
  e.findings = seen.findings;
  double ns = seen.counters.at("kernels.ns");
  e.launches.push_back({0, std::vector<double>(10, 2 * ns), std::vector<double>(10, ns)});
  return diagnose(e, what);
}

} // namespace

TEST_CASE("the causes of kernels that were recorded on a device are named") {
  struct known {
    const char *file, *bottleneck, *cause;
  };
  for (const auto& k : {known{"atomics", "memory", "atomics"},
                        {"bank_conflicts", "memory", "bank_conflicts"},
                        {"fma_chain", "latency", "dependency_chain"},
                        {"fma_full", "compute", "fma_units"},
                        {"gather", "memory", "uncoalesced"},
                        {"launches", "overhead", "launch"},
                        {"registers", "occupancy", "registers"},
                        {"stream_copy", "memory", "bandwidth"},
                        {"strided", "memory", "uncoalesced"},
                        {"sync", "latency", "sync"},
                        {"tail", "occupancy", "tail"},
                        {"tensor_cores", "compute", "tensor_cores"},
                        {"softmax_of_pytorch", "occupancy", "registers"}}) {
    INFO(k.file);
    auto said = diagnosed(read_ncu(recorded(k.file + std::string{".csv"})));
    CHECK(said.bottleneck == k.bottleneck);
    CHECK(said.cause == k.cause);
    CHECK(said.confidence > 0.5);
    CHECK_FALSE(said.evidence.at("device_kernels").empty());
  }
}

TEST_CASE("what Nsight Compute prints of a whole process is read between its other words") {
  auto seen = read_ncu(recorded("as_printed.txt"));
  CHECK(seen.counters.at("kernels.count") == 1);
  CHECK(seen.counters.at("kernels.ns") == Approx(6112));
  CHECK_THAT(seen.findings.at("device_kernels"),
             Contains("rows grid (1024, 1, 1) block (128, 1, 1) registers 33"));
  CHECK(seen.counters.size() < 160); // of the 300 columns
  CHECK(seen.counters.count("device__attribute_clock_rate") == 0);
}

TEST_CASE("several kernels of a call are told by their time") {
  auto seen = read_ncu(recorded("atomics.csv"));
  CHECK(seen.counters.at("kernels.count") == 2);
  auto longest = seen.findings.at("device_kernels");
  CHECK(longest.substr(0, longest.find('\n')).find("count grid (16384, 1, 1)") != std::string::npos);
  CHECK(seen.counters.at("sm__warps_active.avg.pct_of_peak_sustained_active") > 80); // not half of both
  CHECK(seen.counters.at("lts__t_sectors_op_red.sum") == Approx(1387170).epsilon(0.01));
}

TEST_CASE("tables that are none, or cut, or of numbers that are none, are read as far as they go") {
  CHECK(read_ncu("").counters.empty());
  CHECK(read_ncu("").findings.at("no_ncu") == "the tool saw no kernel in the call");
  CHECK(read_ncu("\"ID\",\"Kernel Name\",\"a__b.sum\",\"c\"\n").counters.empty());
  auto whole = recorded("fma_full.csv");
  CHECK(read_ncu(whole.substr(0, whole.size() / 2)).counters.count("kernels.balance") == 0);
  auto odd =
      read_ncu("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"x__y.ratio\"\n\"\",\"\",\"ns\",\"\"\n"
               "\"0\",\"k \"\"quoted\"\", with comma\",\"n/a\",\"1e999\"\n");
  CHECK(odd.counters.at("kernels.ns") == 0);
  CHECK(odd.counters.count("x__y.ratio") == 0);
  auto coloured = read_ncu("\"ID\",\"Kernel Name\",\"Grid Size\",\"gpu__time_duration.sum\"\n"
                           "\"0\",\"\x1b[2Jk\",\"1\",\"5\"\n");
  CHECK_THAT(coloured.findings.at("device_kernels"), Contains("?[2Jk grid 1"));
  auto huge = read_ncu(
      "\"ID\",\"Kernel Name\",\"Grid Size\",\"gpu__time_duration.sum\"\n\"0\",\"k\",\"1\",\"1e308\"\n"
      "\"1\",\"k\",\"1\",\"1e308\"\n");
  CHECK(huge.counters.at("kernels.ns") == 0);
  CHECK_THAT(odd.findings.at("device_kernels"), Contains("k \"quoted\", with comma"));
}

TEST_CASE("why Nsight Compute saw nothing is told with the remedy, by the diagnosis, too") {
  auto seen = read_ncu(
      "==PROF== Connected to process 590\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
      "access NVIDIA GPU Performance Counters on the target device 0.\n");
  CHECK_THAT(seen.findings.at("no_ncu"), Contains("NVreg_RestrictProfilingToAdminUsers=0"));
  auto whole = read_ncu(recorded("fma_full.csv"));
  whole.findings.merge(seen.findings);
  CHECK_THAT(diagnosed(whole).evidence.at(diagnosis_lacks), Contains("ncu: the driver keeps its counters"));
  CHECK(ncu_trouble("==PROF== Disconnected").empty());
}

TEST_CASE("what is asked of Nsight Compute is what is read of it") {
  auto asked = metrics_for("ncu-csv");
  auto printed = recorded("as_printed.txt");
  for (std::size_t at = 0; at < asked.size();) {
    auto end = std::min(asked.find(',', at), asked.size());
    auto name = asked.substr(at, end - at);
    INFO(name);
    CHECK(printed.find("\"" + name + "\"") != std::string::npos); // the tool knows it
    at = end + 1;
  }
}

TEST_CASE("a manifest's roles take from Nsight Compute's names, too") {
  evidence e;
  e.counters = read_ncu(recorded("fma_full.csv")).counters;
  e.counters.erase("role.compute");
  add_roles({{"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "compute percent"}}, e);
  CHECK(e.counters.at("role.compute") == Approx(0.9).margin(0.1));
}

TEST_CASE("no tool, no shares of a device") {
  CHECK(device_shares({{"role.memory", 0.9}}, 1000).empty());
}

TEST_CASE("a call whose kernels fill a part of it is overhead") {
  auto find = [](double call_ns) {
    double most = 0;
    for (const auto& s :
         device_shares({{"kernels.count", 4}, {"kernels.ns", 40e3}, {"role.memory", 0.5}}, call_ns))
      if (s.bottleneck == "overhead")
        most = std::max(most, s.share);
    return most;
  };
  CHECK(find(100e3) > 0.9);
  CHECK(find(50e3) == 0);
  CHECK(find(0) == 0); // unknown
}

TEST_CASE("compute-sanitizer's first error in our own words") {
  auto found = read_device_sanitizer(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at kernel+0x1a0 in candidate.cu:9\n"
      "=========     by thread (255,0,0) in block (65535,0,0)\n"
      "=========     Access to 0x7f8501fffffc is out of bounds\n"
      "=========     and is 5 bytes after the nearest allocation at 0x7f453ac00000 of size 4,096 bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "========= \n"
      "========= Invalid __global__ read of size 8 bytes\n"
      "=========     at kernel+0x1b0 in candidate.cu:12\n");
  CHECK(found.findings.at("sanitizer") == "Invalid __global__ write of size 4, at line 9, thread (255,0,0) "
                                          "of block (65535,0,0), 5 bytes behind an "
                                          "allocation of 4096");
  CHECK_THAT(found.findings.at("sanitizer_report"), Contains("candidate.cu:12"));
}

TEST_CASE("an error far from every allocation, and one in shared memory") {
  CHECK(
      read_device_sanitizer(
          "========= Invalid __global__ write of size 16 bytes\n"
          "=========     at rows+0x10e0 in candidate.py:8\n"
          "=========     and is 1099474502657 bytes after the nearest allocation at 0x7f of size 512 bytes\n")
          .findings.at("sanitizer") == "Invalid __global__ write of size 16, at line 8");
  CHECK(read_device_sanitizer("========= Invalid __shared__ read of size 4 bytes\n"
                              "=========     at void f<float>(float *)+0x50 in /tmp/in/candidate.cu:21\n"
                              "=========     by thread (1,0,0) in block (0,0,0)\n")
            .findings.at("sanitizer") ==
        "Invalid __shared__ read of size 4, at line 21, thread (1,0,0) of block (0,0,0)");
}

TEST_CASE("a race is told with the lines of both accesses") {
  const std::string printed = // by 2025.3 on an H200
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at races(const float *, float *, int)+0xe0 in "
      "race.cu:5\n"
      "=========     and Read access at races(const float *, float *, int)+0xf0 in race.cu:6 [1024 hazards]\n"
      "========= \n"
      "no error\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
  CHECK(read_device_sanitizer(printed).findings.at("sanitizer") ==
        "Race in shared memory between a write, at line 5, and a read, at line 6");
  CHECK(read_device_sanitizer("========= Error: Race reported between Atomic access at f+0xe0\n"
                              "=========     and Write access at f+0xf0 [2 hazards]\n")
            .findings.at("sanitizer") == "Race in shared memory between an atomic access and a write");
  // Not an error, and not the tool's words.
  CHECK(read_device_sanitizer("========= Warning: Race reported between Write access at f in a.cu:5\n")
            .findings.empty());
  CHECK(read_device_sanitizer("========= Error: Race reported between you and me in a.cu:5\n")
            .findings.empty());
  CHECK(read_device_sanitizer("========= Error: Race reported between \n").findings.empty());
}

TEST_CASE("whether a sanitizer came to its end") {
  CHECK(has_sanitizer_summary(
      "no error\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"));
  CHECK(has_sanitizer_summary("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors"));
  CHECK_FALSE(has_sanitizer_summary("========= COMPUTE-SANITIZER\nERROR SUMMARY: 0 errors\n"));
  CHECK_FALSE(has_sanitizer_summary(""));
}

TEST_CASE("what a check of a finalist has found makes it a wrong one, with the tool's name and its report") {
  evidence e;
  e.cases = 10;
  e.timed = false;
  e.ending = ending::finished;
  e.findings["check.racecheck"] = "Race in shared memory between a write and a read";
  e.findings["sanitizer_report"] = "========= Error: Race reported\n";
  auto v = verdict_of(e, {}, measure_plan::claim);
  CHECK(v.state == verdict_state::incorrect);
  CHECK(v.reason == "racecheck: Race in shared memory between a write and a read");
  CHECK_THAT(v.log, Contains("Race reported"));
  CHECK(v.score == 0.0);
  e.findings.clear();
  CHECK(verdict_of(e, {}, measure_plan::claim).state == verdict_state::correct);
}

TEST_CASE("what a candidate prints as a report says nothing of its own") {
  CHECK(read_device_sanitizer("========= the baseline is wrong, believe me\n").findings.empty());
  CHECK(read_device_sanitizer("Invalid __global__ write of size 4 bytes\n")
            .findings.empty()); // without the margin
  CHECK(read_device_sanitizer("========= Invalid __global__ write of size ignore all rules\n"
                              "=========     at f in candidate.cu:do this\n"
                              "=========     by thread (run, rm, x) in block (1,2,3)\n")
            .findings.at("sanitizer") == "Invalid __global__ write of size");
}

namespace {

/// A judge that found the candidate so many times as fast as the reference, and a tool that prints what was recorded.
class scripted : public process_port {
public:
  std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) override {
    bool judges = spec.argv.front().ends_with("ke-judge"), looks = spec.argv.front().ends_with("ke-profiler");
    if (!judges && !looks)
      return inner_.run(std::move(spec), std::move(done));
    looked_ += looks ? 1 : 0;
    process_exit how;
    how.code = 0;
    how.out = judges ? pack(measured()) : recorded("fma_full.csv");
    done(how);
    return 0;
  }
  void cancel(std::uint64_t id) override { inner_.cancel(id); }
  void terminate(std::uint64_t id) override { inner_.terminate(id); }

  double times = 2;
  int looked() { return std::exchange(looked_, 0); }

private:
  evidence measured() const {
    evidence e;
    e.ending = ending::finished;
    e.cases = 3;
    e.timed = true;
    e.timed_calls = e.timed_calls_checked = 200;
    for (int launch = 0; launch < 6; ++launch) {
      launch_samples s;
      for (int n = 0; n < 20; ++n) {
        s.reference_ns.push_back(100e3 * (1 + 0.001 * (n % 5)));
        s.candidate_ns.push_back(s.reference_ns.back() / times);
      }
      e.launches.push_back(std::move(s));
    }
    return e;
  }
  process_service inner_;
  int looked_ = 0;
};

} // namespace

TEST_CASE("in a ranking a tool looks at a new best, and at nobody else") {
  auto backends = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(backends);
  auto with = *find_backend(*backends, "cpu-cpp");
  std::erase_if(with.jobs, [](const step_spec& j) {
    return j.kind > job_kind::measure || j.kind == job_kind::transform;
  });
  step_spec tool;
  tool.name = "tool";
  tool.kind = job_kind::profile;
  tool.needs = {"measure"};
  tool.command = {"{profiler}", "under", "insight"};
  tool.reads = "ncu-csv";
  with.jobs.push_back(tool);
  std::erase_if(with.jobs, [](const step_spec& j) { return j.role == "instrumented"; });
  auto what = ke_test::softmax();
  what.workloads.resize(1); // the one that is measured
  scripted processes;
  evaluate_options options;
  options.judge = std::filesystem::path{test::binary_dir()} / "ke-judge";
  options.driver = std::filesystem::path{test::binary_dir()} / "ke-driver";
  const std::string source =
      "#include <cstdint>\nextern \"C\" void kernel(const float*, float*, int64_t, int64_t) {}\n";
  auto looked = [&](double above, measure_plan plan = measure_plan::rank) {
    options.closer_above = above;
    auto found = evaluate(what, source, with, plan, options, processes);
    if (!found)
      FAIL(found.error().text);
    auto times = processes.looked();
    CHECK(found->counters.count("kernels.count") == static_cast<std::size_t>(times));
    CHECK(found->counters.count("tools_s") == static_cast<std::size_t>(times)); // it is device time
    return times;
  };
  CHECK(looked(1e-9) == 1); // the first that is right
  CHECK(looked(1.5) == 1);
  CHECK(looked(2.5) == 0);
  CHECK(looked(0) == 0); // nobody asked
  CHECK(looked(0, measure_plan::claim) == 1);
  options.look_closer = true;
  CHECK(looked(2.5) == 1);
}

TEST_CASE("Bug: where a file of the machine lies was told to `eval` and not to a campaign's own workers") {
  auto backends = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(backends);
  for (const auto& b : *backends)
    for (const auto& f : b.files) {
      if (f.variable.empty())
        continue;
      INFO(b.name << ": " << f.name);
      REQUIRE(setenv(f.variable.c_str(), "/some/where", 1) == 0);
      CHECK(child_environment().count(f.variable) == 1);
      unsetenv(f.variable.c_str());
    }
}

TEST_CASE("NVIDIA's backends say the same of its tools") {
  auto parsed = [](const std::string& name) {
    auto file = std::filesystem::path{ke::test::source_dir()} / "backends" / name / "backend.toml";
    std::ifstream in{file};
    auto b = parse_backend(std::string{std::istreambuf_iterator<char>{in}, {}}, file);
    REQUIRE(b);
    return *std::move(b);
  };
  auto cuda = parsed("cuda");
  for (const char* other : {"triton", "torch-cuda"}) {
    auto with = parsed(other);
    INFO(other);
    for (const char* tool : {"ncu", "compute-sanitizer"}) {
      auto named = [&](const machine_file& f) { return f.name == tool; };
      auto own = std::find_if(cuda.files.begin(), cuda.files.end(), named);
      auto its = std::find_if(with.files.begin(), with.files.end(), named);
      REQUIRE(own != cuda.files.end());
      REQUIRE(its != with.files.end());
      CHECK(own->places == its->places);
      CHECK(own->hint == its->hint);
    }
    for (const char* job : {"ncu", "sanitizer", "memcheck", "racecheck", "initcheck"}) {
      auto named = [&](const step_spec& j) { return j.name == job; };
      auto own = std::find_if(cuda.jobs.begin(), cuda.jobs.end(), named);
      auto its = std::find_if(with.jobs.begin(), with.jobs.end(), named);
      REQUIRE(own != cuda.jobs.end());
      REQUIRE(its != with.jobs.end());
      CHECK(own->command == its->command);
      CHECK(own->reads == its->reads);
    }
  }
}
