#include "backends/evaluation/evaluate.hpp"
#include "backends/evidence/call_trace.hpp"
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
#include <map>
#include <set>
#include <string>
#include <unistd.h>

using namespace ke;

namespace {

/// Counts what is started, by program.
class counting : public process_port {
public:
  std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) override {
    for (const auto& word : spec.argv)
      if (word == "clang++-19" || word.ends_with("ke-profiler")) {
        ++started[word.substr(word.rfind('/') + 1)];
        break;
      }
    return inner_.run(std::move(spec), std::move(done));
  }
  void cancel(std::uint64_t id) override { inner_.cancel(id); }
  void terminate(std::uint64_t id) override { inner_.terminate(id); }
  std::map<std::string, int> started;

private:
  process_service inner_;
};

struct bench {
  counting processes;
  backend cpu;
  evaluate_options options;
  problem what = ke_test::softmax();
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ke-closer-look-test-" + std::to_string(getpid()));

  bench() {
    auto all = load_backends(std::filesystem::path{test::source_dir()} / "backends", {});
    REQUIRE(all);
    cpu = *find_backend(*all, "cpu-cpp");
    // Of what looks closer, the loops alone: the rest has tests of its own.
    std::erase_if(cpu.jobs, [](const step_spec& j) { return j.kind == job_kind::profile; });
    options.scratch = folder / "runs";
    options.cache = folder / "cache";
    options.judge = std::filesystem::path{test::binary_dir()} / "ke-judge";
    options.driver = std::filesystem::path{test::binary_dir()} / "ke-driver";
    options.limits.memory_bytes = 2ull << 30;
    options.budget_s = 0.2;
    options.look_closer = true;
  }
  ~bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  step_spec& job(const std::string& name) {
    auto at =
        std::find_if(cpu.jobs.begin(), cpu.jobs.end(), [&](const step_spec& j) { return j.name == name; });
    REQUIRE(at != cpu.jobs.end());
    return *at;
  }
  evidence judge(const std::string& source) {
    processes.started.clear();
    auto found = evaluate(what, source, cpu, measure_plan::rank, options, processes);
    if (!found)
      FAIL(found.error().text);
    CHECK((!std::filesystem::exists(options.scratch) || std::filesystem::is_empty(options.scratch)));
    return *found;
  }
  /// As long as a busy machine's clocks raise a flag, nothing is looked at closer.
  evidence judge_quietly(const std::string& source) {
    auto e = judge(source);
    for (int again = 0; again < 4 && !e.flags.empty(); ++again)
      e = judge(source);
    return e;
  }
};

/// Line 5 heads the outer loop; it holds three more.
const std::string nested = R"(#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float largest = x[i * n], sum = 0;
    for (int64_t j = 1; j < n; ++j) largest = std::max(largest, x[i * n + j]);
    for (int64_t j = 0; j < n; ++j) sum += std::exp(x[i * n + j] - largest);
    for (int64_t j = 0; j < n; ++j) y[i * n + j] = std::exp(x[i * n + j] - largest) / sum;
  }
}
)";

} // namespace

TEST_CASE("the loops of a nest are told in the order in which they ran, with their shares, and a second time "
          "nothing is compiled or called",
          "[timing]") {
  bench b;
  auto e = b.judge_quietly(nested);
  std::string findings;
  for (const auto& [key, text] : e.findings)
    findings += key + ": " + text.substr(0, 300) + "\n";
  INFO(findings);
  REQUIRE(e.ending == ending::finished);
  REQUIRE(e.counters.contains("loop.share"));
  CHECK((e.counters["loop.line"] == 8 || e.counters["loop.line"] == 9));
  CHECK(e.counters["loop.share"] > 0.25);
  CHECK(e.findings["loops"].find("line 8 (depth 2): ") != std::string::npos);
  CHECK(e.findings["loops"].find("line 9 (depth 2): ") != std::string::npos);
  auto spans = call_spans(e);
  REQUIRE(spans.size() >= 4 * 16); // rows
  double end = 0;
  std::vector<std::string> order;
  for (const auto& s : spans) {
    CHECK(s.begin_us >= end - 0.01);
    end = s.begin_us + s.us;
    if (order.empty() || order.back() != s.name) // an unrolled loop and its rest are two, of one line
      order.push_back(s.name);
  }
  // Row by row: the outer loop's head, the largest, the sum, the division.
  REQUIRE(order.size() >= 4);
  CHECK(order[0] == "line:5");
  CHECK(order[1] == "line:7");
  CHECK(order[2] == "line:8");
  CHECK(order[3] == "line:9");
  CHECK(b.processes.started["clang++-19"] == 2);
  CHECK(b.processes.started["ke-profiler"] == 2); // the stamps, the call
  auto again = b.judge_quietly(nested);
  REQUIRE(again.counters.contains("loop.share"));
  CHECK(b.processes.started.empty());
  CHECK(again.findings["trace"] == e.findings["trace"]);
  CHECK(again.findings["loops"] == e.findings["loops"]);
}

TEST_CASE("a failing transform takes along only what needs it, and the verdict stays", "[timing]") {
  bench b;
  b.job("ticks").command[1] = "tocks"; // a word that the program does not know
  auto e = b.judge_quietly(nested);
  auto v = verdict_of(e, b.what, measure_plan::rank);
  INFO(verdict_json(v));
  CHECK((v.state == verdict_state::correct || v.state == verdict_state::noisy));
  CHECK(e.findings.contains("no_ticks"));
  CHECK_FALSE(e.findings.contains("no_stamped")); // was not begun
  CHECK_FALSE(e.findings.contains("trace"));
  CHECK_FALSE(e.findings.contains("loops"));
  CHECK(b.processes.started["clang++-19"] == 1);
}

TEST_CASE("who is wrong, crashes, or is one of many in a search gets no time stamps", "[timing]") {
  bench b;
  auto wrong = nested;
  wrong.replace(wrong.find("/ sum"), 5, "* sum");
  CHECK(b.judge(wrong).failed > 0);
  CHECK(b.processes.started.empty());
  auto crashing = nested;
  crashing.replace(crashing.find("sum = 0"), 7, "sum = *(volatile float*)8");
  CHECK(b.judge(crashing).ending == ending::crashed);
  CHECK(b.processes.started.empty());
  b.options.look_closer = false;
  auto e = b.judge(nested);
  CHECK(e.ending == ending::finished);
  CHECK_FALSE(e.findings.contains("trace"));
  CHECK(b.processes.started.empty());
}
