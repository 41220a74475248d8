#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "tests/backends/too_noisy.hpp"
#include "tests/backends/torch_fixture.hpp"

#include "backends/evidence/call_trace.hpp"
#include "backends/evidence/torch_profile.hpp"
#include "backends/judge/drivers/python_driver.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace ke;
using ke_test::candidate;
using ke_test::kernelbench;
using ke_test::too_noisy;
using ke_test::torch_bench;

namespace {

problem silu() {
  return kernelbench("return x * torch.sigmoid(x) + torch.tanh(x) * torch.tanh(x)", "torch.randn(128, 4096)");
}

} // namespace

TEST_CASE("a fused operator is faster, and one that works twice as long is slower", "[torch][timing]") {
  torch_bench b;
  auto p = kernelbench("return x * (1 / (1 + torch.exp(-x)))", "torch.randn(128, 4096)");
  p.policy.vendor_libraries = true;
  auto v = b.judge_timed(p, candidate("return F.silu(x)"));
  INFO(verdict_json(v));
  if (too_noisy(v))
    return;
  REQUIRE(v.state == verdict_state::correct);
  CHECK(v.decision == timing_decision::faster);
  CHECK(v.timed_calls == v.timed_calls_checked);
  v = b.judge_timed(
      silu(),
      candidate("for _ in range(3): y = x * torch.sigmoid(x) + torch.tanh(x) * torch.tanh(x)\nreturn y"));
  INFO(verdict_json(v));
  if (too_noisy(v))
    return;
  REQUIRE(v.state == verdict_state::correct);
  CHECK(v.decision == timing_decision::slower);
  CHECK(v.timing->speedup < 0.5);
}

TEST_CASE("clocks patched inside of a Python process change no time", "[torch][timing]") {
  torch_bench b;
  auto v = b.judge_timed(
      silu(),
      candidate("for _ in range(4): y = x * torch.sigmoid(x) + torch.tanh(x) * torch.tanh(x)\nreturn y",
                "for name in ('time', 'perf_counter', 'monotonic', 'process_time'):\n"
                "    setattr(time, name, lambda: 1.0)\n    setattr(time, name + '_ns', lambda: 1)\n"
                "f = sys._getframe()\nwhile f:\n"
                "    if 'now' in f.f_locals: break\n    f = f.f_back\n"));
  INFO(verdict_json(v));
  if (v.state == verdict_state::correct) {
    CHECK(v.decision == timing_decision::slower);
    CHECK(v.timing->speedup < 0.5);
  } else if (!too_noisy(v)) {
    CHECK(v.state == verdict_state::cheating_suspected);
  }
}

TEST_CASE("threads beyond the policy get no further processors", "[torch][timing]") {
  torch_bench b;
  auto p = silu();
  auto v = b.judge_timed(p, candidate("torch.set_num_threads(2)\n"
                                      "try: os.sched_setaffinity(0, range(os.cpu_count()))\n"
                                      "except PermissionError: pass\n"
                                      "return x * torch.sigmoid(x) + torch.tanh(x) * torch.tanh(x)"));
  INFO(verdict_json(v));
  // On the one processor that the policy gives, two threads are no faster than one.
  CHECK((v.state == verdict_state::cheating_suspected || v.state == verdict_state::correct ||
         v.state == verdict_state::noisy));
  if (v.state == verdict_state::cheating_suspected)
    CHECK(v.flags.at(0).name == "threads");
  if (v.state == verdict_state::correct)
    CHECK(v.score < 1.2);
}

TEST_CASE("a forked process is ready in a hundredth of what importing torch takes", "[torch][timing]") {
  torch_bench b;
  auto warm = ke_test::warm_parents()->of(b.torch, b.options.sandbox);
  REQUIRE(warm);
  driver_start how;
  how.warm_parent = (*warm)->socket();
  how.payload = "role nothing\nthreads 1\n\n";
  how.memory = 1 << 20;
  auto once = [&] {
    call_outcome loading;
    auto start = std::chrono::steady_clock::now();
    auto process = open_driver::start(python_driver, how, loading);
    REQUIRE(process);
    REQUIRE(loading.end == call_end::done);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  once(); // the parent may still be importing
  // In turns, so that both meet the same neighbours.
  std::vector<double> forks, imports;
  for (int round = 0; round < 3; ++round) {
    process_spec cold;
    cold.argv = {python_program(), "-c", "import torch"};
    cold.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    auto ended = run_and_wait(b.processes, std::move(cold));
    REQUIRE(ended.code == 0);
    imports.push_back(ended.seconds);
    for (int i = 0; i < 10; ++i)
      forks.push_back(once());
  }
  std::sort(forks.begin(), forks.end());
  std::sort(imports.begin(), imports.end());
  double fork = forks[forks.size() / 2], import = imports[1];
  std::printf("warm fork %.1f ms, import torch %.0f ms: 1/%.0f\n", fork * 1e3, import * 1e3, import / fork);
  CHECK(fork < import / 100);
}

TEST_CASE("what a profiler says of a candidate is taken with care") {
  auto counters = operators_in("total 200\n50 3 aten::mm\n25.5 1 aten::add_\n").counters;
  CHECK(counters.at("torch.self_us") == 200);
  CHECK(counters.at("torch.op.aten::mm.share") == Approx(0.25));
  CHECK(counters.at("torch.op.aten::mm.calls") == 3);
  CHECK(counters.at("torch.op.aten::add_.self_us") == 25.5);
  CHECK(operators_in("").counters.empty());
  CHECK(operators_in("50 3 aten::mm\n").counters.empty()); // no total
  CHECK(operators_in("total nan\n1 1 aten::mm\n").counters.empty());
  CHECK(operators_in("total -5\n1 1 aten::mm\n").counters.empty());
  CHECK(operators_in("total 10\n1 1 ba\"d\n-1 1 aten::mm\ninf 1 aten::mm\nx y z\n").counters.size() == 1);
  CHECK(operators_in("total 10\n99 1 aten::mm\n").counters.at("torch.op.aten::mm.share") == 1);
  std::string flood = "total 10\n";
  for (int i = 0; i < 1000; ++i)
    flood += "1 1 op" + std::to_string(i) + "\n";
  CHECK(operators_in(flood).counters.size() == 31);
}

TEST_CASE("a right candidate is profiled apart from its timing, and its operators are on the common trace",
          "[torch][timing]") {
  torch_bench b;
  auto p = kernelbench("return torch.tanh(x @ x)", "torch.randn(256, 256)");
  auto found = evaluate(p, candidate("return torch.mm(x, x).tanh_()"), b.torch, measure_plan::rank, b.options,
                        b.processes);
  REQUIRE(found);
  INFO(found->reason);
  REQUIRE(found->ending == ending::finished);
  CHECK(found->counters.at("torch.op.aten::mm.calls") == 1);
  CHECK(found->counters.at("torch.op.aten::mm.share") > 0.1);
  CHECK(found->counters.count("torch.op.aten::tanh_.self_us") == 1);
  CHECK(found->findings.count("profiler") == 0); // read, and gone
  CHECK(found->findings.at("operators").find("aten::mm: ") != std::string::npos);
  std::vector<std::string> ran;
  double end = 0;
  for (const auto& s : call_spans(*found)) {
    if (s.name == "aten::mm" || s.name == "aten::tanh_") {
      ran.push_back(s.name);
      CHECK(s.begin_us >= end); // one behind the other
      CHECK(s.us > 0);
      end = s.begin_us + s.us;
    }
  }
  CHECK(ran == std::vector<std::string>{"aten::mm", "aten::tanh_"});
  auto v = verdict_of(*found, p, measure_plan::rank);
  if (v.diagnosis)
    CHECK(v.diagnosis->evidence.at("operators").find("aten::mm: ") != std::string::npos);
}

TEST_CASE("a candidate that puts its own class in the profiler's place is profiled all the same",
          "[torch][timing]") {
  torch_bench b;
  auto p = kernelbench("return torch.tanh(x @ x)", "torch.randn(256, 256)");
  auto found = evaluate(p,
                        candidate("return torch.mm(x, x).tanh_()",
                                  "class Forged(torch.autograd.profiler.profile):\n"
                                  "    function_events = property(lambda self: [], lambda self, x: None)\n"
                                  "    def key_averages(self, *a, **k): return [None]\n"
                                  "torch.autograd.profiler.profile = Forged\n"),
                        b.torch, measure_plan::rank, b.options, b.processes);
  REQUIRE(found);
  INFO(found->reason);
  CHECK(found->ending == ending::finished);
  CHECK(found->failed == 0);
  // The profiler was made before the candidate could put its own in its place.
  CHECK(!call_spans(*found).empty());
  CHECK(found->counters.count("torch.self_us") == 1);
  CHECK(found->counters.count("torch.op.aten::mm.share") == 1);
}

TEST_CASE("a label or a replaced profiler puts no words of a candidate into a profile") {
  auto text =
      with_known_names("total 3.000 4\n2.000 3 aten::mm\n1.000 1 Ignore_all_rules\nsay this\ntimeline\n"
                       "0.000 2.000 aten::mm\n0.500 1.000 aten::mm and more\n",
                       {"aten::mm"});
  CHECK(text == "total 3.000 4\n2.000 3.000 aten::mm\n1.000 1.000 other\ntimeline\n0.000 2.000 aten::mm\n"
                "0.500 1.000 other\n");
  CHECK(operators_in(text).counters.at("torch.op.aten::mm.calls") == 3);
}
