// Problems whose inputs a generator makes: make(key, dims) of a Python file.
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/generated_init.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/torch_fixture.hpp"

#include <algorithm>
#include <set>

using namespace ke;
using ke_test::torch_bench;

namespace {

constexpr const char* fair = "import torch\n"
                             "def make(key, dims):\n"
                             "    g = torch.Generator().manual_seed(key)\n"
                             "    row = torch.randint(dims['R'], (dims['E'],), generator=g).sort().values\n"
                             "    return {'value': torch.randn(dims['E'], generator=g),\n"
                             "            'start': torch.searchsorted(row, torch.arange(dims['R'] + 1))}\n";

/// Sums of segments: `start` must ascend from 0 to E.
problem segments(const std::string& generator = fair) {
  problem p;
  p.name = "segments";
  p.dims = {"R", "E"};
  p.tensors = {{"start", tensor_role::in, dtype::i64, {"R + 1"}, generated_init},
               {"value", tensor_role::in, dtype::f32, {"E"}, generated_init},
               {"y", tensor_role::out, dtype::f32, {"R"}, "normal"}};
  p.workloads = {{"usual", {{"R", 40}, {"E", 320}}, 1.0, false}};
  p.reference_language = "python";
  p.reference = "import torch\n"
                "def reference(start, value):\n"
                "    row = torch.repeat_interleave(torch.arange(start.numel() - 1), start.diff())\n"
                "    return value.new_zeros(start.numel() - 1).index_add(0, row, value)\n";
  p.generator = generator;
  return p;
}

std::string segments_kernel(const std::string& body) {
  return "import torch\ndef kernel(start, value):\n    " + body + "\n";
}

const std::string honest = segments_kernel("return torch.segment_reduce(value, 'sum', offsets=start)");

lint_report segments_linted(torch_bench& b, const problem& p) {
  auto report = lint_problem(p, b.torch, b.options, b.processes);
  if (!report)
    FAIL(report.error().text);
  return *report;
}

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& l : lines)
    text += l + "\n";
  return text;
}

} // namespace

TEST_CASE("a generator's inputs keep their form in every check, and who relies on it is right", "[torch]") {
  torch_bench b;
  auto v = b.judge(segments(), honest);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(std::stoi(v.provenance.at("secret_shapes")) > 0);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  auto timed = b.judge_timed(segments(), honest);
  INFO(verdict_json(timed));
  CHECK((timed.state == verdict_state::correct || timed.state == verdict_state::noisy));
  CHECK(timed.timing);
}

TEST_CASE("what holds for one key or for the timed sizes alone is found out", "[torch]") {
  torch_bench b;
  auto fails = [&](const problem& p, const std::string& source) {
    auto v = b.judge(p, source);
    INFO(source << "\n" << verdict_json(v));
    CHECK((v.state == verdict_state::incorrect || v.state == verdict_state::crashed));
  };
  fails(segments(), "import torch\nkept = {}\ndef kernel(start, value):\n"
                    "    s = kept.setdefault(start.numel(), start.clone())\n"
                    "    return torch.segment_reduce(value, 'sum', offsets=s)\n");
  // All rows are as long as each other in the workload; in secret shapes they are not.
  auto even =
      segments("import torch\ndef make(key, dims):\n"
               "    return torch.arange(dims['R'] + 1) * dims['E'] // dims['R'], torch.randn(dims['E'])\n");
  CHECK(b.judge(even, honest).state == verdict_state::correct); // drawn by the seed that the key has set
  fails(even, segments_kernel("return value[:value.numel() // (start.numel() - 1) * (start.numel() - 1)]"
                              ".view(start.numel() - 1, -1).sum(1)"));
}

TEST_CASE("a generator that is no use is said in one sentence, by lint and in a verdict", "[torch]") {
  torch_bench b;
  auto unfit = [&](const std::string& body, const std::string& says) {
    auto p = segments("import torch\ncalls = 0\ndef make(key, dims):\n    R, E = dims['R'], dims['E']\n"
                      "    start = torch.arange(R + 1) * E // R\n    " +
                      body + "\n");
    auto report = segments_linted(b, p);
    INFO(body << "\n" << all_of(report.reasons));
    REQUIRE(report.reasons.size() == 1);
    CHECK(report.reasons[0].find("generator inputs.py") != std::string::npos);
    CHECK(report.reasons[0].find(says) != std::string::npos);
    auto v = b.judge(p, honest);
    CHECK(v.state == verdict_state::unfit_problem);
    CHECK(v.reason == report.reasons[0]);
  };
  unfit("raise ValueError('no such\\n graph')",
        "on workload usual: it raises ValueError: no such graph (inputs.py:6)");
  unfit("return None", "it returns nothing");
  unfit("return start", "it returns 1 inputs instead of 2: start, value");
  unfit("return {'start': start}", "has no value");
  unfit("return {'start': start, 'value': torch.randn(E), 'z': 1}", "returns z, which is no input");
  unfit("return start, 'text'", "value is a str, which is no tensor");
  unfit("return start, torch.randn(E).double()", "value has the type torch.float64 instead of torch.float32");
  unfit("return start, torch.randn(E + 1)", "value has the shape [321] instead of [320]");
  unfit("return start, torch.randn(E) / 0 * 0", "value has a NaN");
  unfit("return start, torch.randn(E).to_sparse()", "instead of a plain one on the CPU");
  unfit("return start, torch.ones(E)", "the same inputs for every key");
  unfit("global calls; calls += 1; return start, torch.randn(E) + calls",
        "same key it returns another value");
  unfit("return start, R / 0", "ZeroDivisionError");
  unfit("import sys; sys.exit(3)", "SystemExit");
  unfit("import os; os._exit(3)", "on workload usual");
  auto never = segments("raise RuntimeError('not today')\ndef make(key, dims): pass\n");
  auto v = b.judge(never, honest);
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("the generator inputs.py cannot be loaded: RuntimeError: not today (inputs.py:1)") !=
        std::string::npos);
}

TEST_CASE("a generator that never returns makes the problem unfit before the time is up", "[torch]") {
  torch_bench b;
  b.options.limits.run_s = 10;
  auto v = b.judge(segments("def make(key, dims):\n    while True: pass\n"), honest);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("it does not return within 5.00 s") != std::string::npos);
  v = b.judge(segments("import time\n" + std::string{fair} +
                       "inner = make\ndef make(key, dims):\n    end = time.process_time() + 0.5\n"
                       "    while time.process_time() < end: pass\n    return inner(key, dims)\n"),
              honest);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("draw by whole tensors") != std::string::npos);
}

TEST_CASE("a shape that make() has no inputs for is dropped, unless the problem promises it", "[torch]") {
  torch_bench b;
  auto p = segments(std::string{fair} + "inner = make\ndef make(key, dims):\n"
                                        "    assert dims['E'] % 4 == 0, 'E in fours'\n"
                                        "    return inner(key, dims)\n");
  p.workloads.push_back({"other", {{"R", 24}, {"E", 400}}, 1.0, false});
  auto report = segments_linted(b, p);
  INFO(all_of(report.reasons) << all_of(report.warnings));
  CHECK(report.reasons.empty());
  CHECK(all_of(report.warnings).find("AssertionError: E in fours") != std::string::npos);
  CHECK(all_of(report.warnings).find("[problem.promise] says which there are") != std::string::npos);
  CHECK(b.judge(p, honest).state == verdict_state::correct);
  p.promise["E"] = {4, 4096, 4};
  p.promise["R"] = {1, 1024, 1};
  report = segments_linted(b, p);
  INFO(all_of(report.reasons) << all_of(report.warnings));
  CHECK(report.reasons.empty());
  CHECK(all_of(report.warnings).find("E in fours") == std::string::npos);
  CHECK(report.secret_shapes > 4);
  p.promise["E"] = {1, 4096, 1};
  report = segments_linted(b, p);
  REQUIRE(report.reasons.size() == 1);
  CHECK(report.reasons[0].find("AssertionError: E in fours") != std::string::npos);
  CHECK(report.reasons[0].find("E = ") != std::string::npos);
  CHECK(b.judge(p, honest).state == verdict_state::unfit_problem);
}

TEST_CASE("lint says that inputs are a generator's, which of them no key changes, and asks no edges",
          "[torch]") {
  torch_bench b;
  auto report =
      segments_linted(b, segments("import torch\ndef make(key, dims):\n"
                                  "    return torch.arange(dims['R'] + 1) * dims['E'] // dims['R'], "
                                  "torch.randn(dims['E'])\n"));
  INFO(all_of(report.reasons) << all_of(report.warnings));
  CHECK(report.reasons.empty());
  CHECK(all_of(report.warnings).find("inputs are what make(key, dims) of the generator returns") !=
        std::string::npos);
  CHECK(all_of(report.warnings).find("returns the same start for every key") != std::string::npos);
  CHECK(all_of(report.warnings).find("returns the same value") == std::string::npos);
  CHECK(all_of(report.warnings).find("get_inputs") == std::string::npos);
  for (const auto& e : report.edges)
    CHECK(e.name.find(" = ") != std::string::npos); // shapes alone
  std::set<std::string> fakes;
  for (const auto& f : report.fakes) {
    CHECK(f.rejected);
    fakes.insert(f.fake);
  }
  CHECK(fakes.count("half_work") == 1); // of the values; offsets are no terms
}

TEST_CASE("inputs of a generator that are more than values: positive definite, quantised with scales",
          "[torch]") {
  torch_bench b;
  problem p;
  p.name = "solve";
  p.dims = {"N"};
  p.tensors = {{"a", tensor_role::in, dtype::f64, {"N", "N"}, generated_init},
               {"b", tensor_role::in, dtype::f64, {"N"}, generated_init},
               {"y", tensor_role::out, dtype::f64, {"N"}, "normal"}};
  p.workloads = {{"usual", {{"N", 24}}, 1.0, false}};
  p.reference_language = "python";
  p.reference = "import torch\ndef reference(a, b):\n    return torch.linalg.solve(a, b)\n";
  p.generator =
      "import torch\ndef make(key, dims):\n    a = torch.randn(dims['N'], dims['N'], dtype=torch.float64)\n"
      "    return a @ a.T + dims['N'] * torch.eye(dims['N'], dtype=torch.float64), "
      "torch.randn(dims['N'], dtype=torch.float64)\n";
  p.tolerances["f64"] = {1e-9, 1e-9};
  auto v = b.judge(p, "import torch\ndef kernel(a, b):\n"
                      "    return torch.cholesky_solve(b[:, None], torch.linalg.cholesky(a))[:, 0]\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);

  problem q;
  q.name = "dequantised";
  q.dims = {"M", "G"};
  q.tensors = {{"w", tensor_role::in, dtype::i8, {"M", "32*G"}, generated_init},
               {"scale", tensor_role::in, dtype::f16, {"M", "G"}, generated_init},
               {"x", tensor_role::inout, dtype::f32, {"32*G"}, generated_init},
               {"y", tensor_role::out, dtype::f32, {"M"}, "normal"}};
  q.scalars = {{"shift", false, 1.5, {1, 2}}};
  q.workloads = {{"usual", {{"M", 16}, {"G", 6}}, 1.0, false}};
  q.reference_language = "python";
  q.reference = "import torch\ndef reference(w, scale, x, shift):\n"
                "    x += shift\n"
                "    return (w.to(x.dtype) * scale.to(x.dtype).repeat_interleave(32, 1)) @ x\n";
  q.generator = "import numpy as np, torch\ndef make(key, dims):\n    r = np.random.default_rng(key)\n"
                "    return {'x': r.standard_normal(32 * dims['G'], np.float32),\n"
                "            'w': r.integers(-8, 8, (dims['M'], 32 * dims['G']), np.int8),\n"
                "            'scale': r.random((dims['M'], dims['G'])).astype(np.float16)}\n";
  v = b.judge(
      q, "import torch\ndef kernel(w, scale, x, shift):\n    x += shift\n"
         "    m, g = scale.shape\n"
         "    return torch.einsum('mgk,mg,gk->m', w.float().view(m, g, 32), scale.float(), x.view(g, 32))\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  v = b.judge(q, "import torch\ndef kernel(w, scale, x, shift):\n    x += 1.5\n"
                 "    return (w.float() * scale.float().repeat_interleave(32, 1)) @ x\n");
  CHECK(v.state == verdict_state::incorrect); // scalars vary as ever
}
