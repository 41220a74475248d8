#pragma once

#include "backends/evaluation/evaluate.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

namespace ke_test {

/// One warm Python parent for all that a test process judges: importing torch costs seconds.
inline std::shared_ptr<ke::python_parents> warm_parents() {
  static auto parents = std::make_shared<ke::python_parents>();
  return parents;
}

/// A KernelBench problem: `forward` is the body of Model.forward(self, x), inputs are randn(rows, columns).
inline ke::problem kernelbench(const std::string& forward, const std::string& made = "torch.randn(8, 250)",
                               const std::string& init = "pass") {
  ke::problem p;
  p.name = "bench";
  p.reference_language = "python";
  p.reference = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
                "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        " +
                init + "\n    def forward(self, x):\n        " + forward +
                "\n\ndef get_inputs():\n    return [" + made + "]\n\ndef get_init_inputs():\n    return []\n";
  p.workloads = {{"default", {}, 1.0, false}};
  return p;
}

/// A candidate whose forward(self, x) has this body, one statement a line.
inline std::string candidate(const std::string& body, const std::string& before = "",
                             const std::string& init = "pass") {
  std::string indented;
  for (std::size_t at = 0; at < body.size();) {
    auto end = std::min(body.find('\n', at), body.size());
    indented += "        " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return "import torch, os, sys, time, gc\nimport torch.nn as nn\nimport torch.nn.functional as F\n" +
         before +
         "\nclass ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n        " +
         init + "\n    def forward(self, x):\n" + indented;
}

/// Judges through a backend of the source tree in Python.
struct torch_bench {
  ke::process_service processes;
  ke::backend torch;
  ke::evaluate_options options;
  std::filesystem::path folder;

  explicit torch_bench(const char* backend = "torch-cpu") {
    auto all = ke::load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
    REQUIRE(all);
    auto found = ke::find_backend(*all, backend);
    REQUIRE(found);
    torch = *found;
    if (auto there = ke::probe_target(torch, processes); !there)
      FAIL(there.error().text); // run these tests with `ctest -L torch` only where there is one
    folder = std::filesystem::temp_directory_path() / ("ke-torch-test-" + std::to_string(getpid()));
    options.scratch = folder;
    options.judge = std::filesystem::path{ke::test::binary_dir()} / "ke-judge";
    options.driver = std::filesystem::path{ke::test::binary_dir()} / "ke-driver";
    options.python = warm_parents();
    options.limits = torch.limits;
    options.limits.call_s = 4;
    options.limits.memory_bytes = 1ull << 30;
    options.budget_s = 0.6;
  }
  ~torch_bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  ke::verdict judge(const ke::problem& p, const std::string& source, bool timed = false) {
    auto o = options;
    o.timed = timed;
    auto found = ke::evaluate(p, source, torch, ke::measure_plan::rank, o, processes);
    if (!found)
      FAIL(found.error().text);
    return ke::verdict_of(*found, p, ke::measure_plan::rank);
  }
  ke::evidence evidence_of(const ke::problem& p, const std::string& source) {
    auto found = ke::evaluate(p, source, torch, ke::measure_plan::eval, options, processes);
    if (!found)
      FAIL(found.error().text);
    return *found;
  }
  ke::verdict judge_timed(const ke::problem& p, const std::string& source) {
    auto v = judge(p, source, true);
    for (int again = 0; again < 5 && v.state == ke::verdict_state::noisy; ++again)
      v = judge(p, source, true);
    return v;
  }
};

} // namespace ke_test
