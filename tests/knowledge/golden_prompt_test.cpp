#include "knowledge/prompt/node_summary.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"
#include "tests/knowledge/prompt_fixture.hpp"
#include "tests/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace ke_test;

// Whole prompts, one for each state of a search, beside this file in golden/. A change of the builder shows
// there as a diff to be read; KE_WRITE_GOLDEN=1 writes them anew.

namespace {

struct golden_fixture : prompt_fixture {
  golden_fixture() {
    what.flops = "5*M*N";
    what.bytes = "8*M*N";
    request.floor = 0.95;
    target.facts["l1d"] = "32768";
    for (auto [peak, value] : {std::pair{"clock", "2.6e9"},
                               {"threads", "2"},
                               {"bytes.l1.1", "2.0341e11"},
                               {"bytes.l1.all", "4.06e11"},
                               {"latency.l1", "1.32e-9"},
                               {"bytes.dram.1", "1.28e10"},
                               {"bytes.dram.all", "2.14e10"},
                               {"latency.dram", "9.87e-8"},
                               {"flops.f32.sse.all", "8e10"},
                               {"flops.f32.avx2.1", "8.2e10"},
                               {"flops.f32.avx2.all", "1.61e11"},
                               {"flops.bf16.avx2.all", "1e11"}})
      target.facts[std::string{"peak."} + peak] = value;
    request.constraints = {{"constraints/tails", "Every size", text_of_page("Handle remainders.")}};
    improve();
    request.in_flight = {0, 2};
    request.ordinal = 3;
  }

  static std::shared_ptr<const std::string> text_of_page(const std::string& s) {
    return std::make_shared<const std::string>(s);
  }

  std::shared_ptr<node_summary> parent(node_state state) {
    auto c = summary(4, state);
    if (state != node_state::correct)
      c->score = 0;
    request.parent = c;
    return c;
  }
  std::shared_ptr<node_summary> timed(double speedup, const char* bottleneck) {
    auto c = parent(node_state::correct);
    c->timing = timing_summary{};
    c->timing->speedup = speedup;
    c->timing->low = speedup * 0.98;
    c->timing->high = speedup * 1.02;
    c->score = c->timing->low;
    c->timing->workloads = {{"wide", speedup, speedup * 0.97, speedup * 1.03}, {"hushhush", 9, 8, 10}};
    c->diagnosis = diagnosis{bottleneck, 0.8, 0.6, {{"memory", "18 of 21 GB/s"}}};
    return c;
  }
  void fails(node_state state, const char* reason, const char* log) {
    auto c = parent(state);
    c->reason = reason;
    c->log = log;
    request.operation = operation_kind::fix;
    request.memory = memory_kind::parent;
  }

  /// The prompt without the ke-task block, which a test of its own reads.
  void matches(const std::string& name) {
    auto p = build_prompt(request);
    std::string text;
    for (const auto& s : p.sections)
      if (s.name != "ke-task")
        text += s.text;
    auto path = std::filesystem::path{ke::test::source_dir()} / "tests/knowledge/golden" / (name + ".md");
    if (std::getenv("KE_WRITE_GOLDEN")) {
      std::filesystem::create_directories(path.parent_path());
      std::ofstream{path} << text;
    }
    std::ifstream in{path};
    std::stringstream golden;
    golden << in.rdbuf();
    CHECK(text == golden.str());
  }
};

} // namespace

TEST_CASE_METHOD(golden_fixture, "golden prompt: a draft") {
  request.operation = operation_kind::draft;
  request.draft = 1;
  request.parent = nullptr;
  request.ancestors.clear();
  request.siblings.clear();
  matches("draft");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: a compile error") {
  fails(node_state::build_failed, "candidate.cpp:3:7: error: 'vec' was not declared in this scope",
        "candidate.cpp:3:7: error: 'vec' was not declared in this scope\n    3 |       vec x;\n");
  request.knowledge = {{"guidance/debugging/undeclared", "A name that is not declared",
                        text_of_page("Include the header that declares it.")}};
  matches("compile_error");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: wrong numbers") {
  fails(node_state::incorrect, "wrong value at y[3, 17] of workload wide", "");
  auto c = std::make_shared<node_summary>(*request.parent);
  c->first_failure = mismatch{"wide", "y", {3, 17}, 1, 2, 0.125, 3, "normal"};
  request.parent = c;
  matches("wrong_numbers");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: a crash") {
  fails(node_state::crashed, "signal 11 (SIGSEGV) in call 1 on workload wide",
        "==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 in kernel candidate.cpp:4\n");
  matches("crash");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: memory-bound") {
  timed(2.5, "memory");
  request.memory = memory_kind::parent_siblings;
  auto before = summary(2);
  before->source = "extern \"C\" void kernel() { /* 2 */ }";
  request.ancestors = {before};
  auto failed = summary(6, node_state::build_failed);
  failed->score = 0;
  failed->plan = "explicit vectors";
  failed->reason = "error: no such type";
  request.siblings = {failed, summary(5)};
  request.knowledge = {{"guidance/memory/fusion", "Fuse passes", text_of_page("Read once.\n")},
                       {"guidance/memory/blocking", "Block", text_of_page("Fit the cache.\n")}};
  matches("memory_bound");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: gains beside the parent") {
  timed(2.5, "latency");
  request.memory = memory_kind::siblings;
  request.ancestors = {loop(2, "y[i] = 2 * x[i];")};
  request.uncles = {loop(8, "y[i] = x[i] + x[i];"),
                    loop(7, "__builtin_prefetch(x + i + 64), y[i] = 2 * x[i];")};
  matches("beside");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: compute-bound") {
  auto c = timed(2.5, "compute");
  c->source += "\n// ke-point: {\"unroll\": 4}\n";
  request.hints = {"tile by 32"};
  matches("compute_bound");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: slower than the parent") {
  auto c = timed(0.7, "overhead");
  c->decision = timing_decision::slower;
  request.memory = memory_kind::parent;
  matches("slower");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: a result that was not accepted is told in neutral words") {
  fails(node_state::cheating_suspected, "gap_cpu_time: 31 ms between calls", "kept the result of call 3");
  auto text = prompt_fixture::text();
  for (const auto& word : {"gap_cpu_time", "31 ms", "kept the result"})
    CHECK(text.find(word) == std::string::npos);
  matches("not_accepted");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: a repair of an answer") {
  request.repair = "no_code: edit 1: its SEARCH part is not in the parent";
  request.operation = operation_kind::improve;
  timed(1.5, "latency");
  matches("repair");
}

TEST_CASE_METHOD(golden_fixture, "golden prompt: two parents") {
  timed(1.5, "latency");
  request.partner = summary(9);
  matches("crossover");
}

TEST_CASE_METHOD(golden_fixture, "a small budget keeps the task, the parent and the form of an answer") {
  timed(2.5, "memory");
  request.knowledge = {{"guidance/memory/fusion", "Fuse passes", text_of_page(std::string(9000, 'k'))}};
  auto whole = build_prompt(request);
  CHECK(whole.dropped.empty());
  request.budget_tokens = 2000;
  auto p = build_prompt(request);
  REQUIRE_FALSE(p.dropped.empty());
  CHECK(std::count(p.dropped.begin(), p.dropped.end(), "knowledge:guidance/memory/fusion") == 1);
  std::uint64_t tokens = 0;
  std::string names;
  for (const auto& s : p.sections) {
    tokens += (s.text.size() + 2) / 3;
    names += s.name + " ";
  }
  CHECK(tokens <= 2000);
  CHECK(names.find("ke-task task") == 0);
  CHECK(names.find("answer parent") != std::string::npos);
}
