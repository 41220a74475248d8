// Candidates of Triton and Gluon on a machine without a device: compiled for two architectures, never called correct.
#include "backends/evaluation/launch_cases.hpp"
#include "backends/evidence/static_metrics.hpp"
#include "tests/backends/triton_fixture.hpp"

#include <map>

using namespace ke;
using ke_test::changed;
using ke_test::torch_bench;
using ke_test::triton_candidate;

namespace {

struct compiler : torch_bench {
  compiler() : torch_bench{"triton"} {
    options.limits = torch.limits;
    options.limits.build_s = 90;
  }
  verdict compiled(const problem& p, const std::string& source,
                   std::map<std::string, double>* counters = nullptr) {
    auto found = evidence_of(p, source);
    if (counters)
      *counters = found.counters;
    return verdict_of(found, p, measure_plan::eval);
  }
};

} // namespace

TEST_CASE("a compiler of Python candidates is told the calls that the workloads make") {
  auto p = ke_test::product(dtype::bf16);
  p.scalars = {{"alpha", false, 0.5, {}}, {"shift", true, 3, {}}};
  p.workloads.push_back({"unseen", {{"M", 7}, {"N", 7}, {"K", 7}}, 1.0, true});
  auto files = launch_cases(p, "def kernel(a, b, alpha, shift): pass");
  REQUIRE(files.size() == 1);
  CHECK(files[0].first == "calls.json");
  CHECK(
      files[0].second ==
      R"({"calls":[{"arguments":[{"dtype":"bf16","shape":[64,80]},{"dtype":"bf16","shape":[80,48]},{"value":0.5},{"value":3}],"name":"square"},)"
      R"({"arguments":[{"dtype":"bf16","shape":[33,70]},{"dtype":"bf16","shape":[70,40]},{"value":0.5},{"value":3}],"name":"ragged"}],)"
      R"("is_reference":false,"kernelbench":false})"
      "\n");
  files = launch_cases(ke_test::linear_gelu(), ke_test::linear_gelu().reference);
  REQUIRE(files.size() == 2);
  CHECK(files[0].second == "{\"calls\":[],\"is_reference\":true,\"kernelbench\":true}\n");
  CHECK(files[1] == std::pair{std::string{"problem.py"}, ke_test::linear_gelu().reference});
}

TEST_CASE("of what a compiler's process prints, figures of compiled code are read and nothing else") {
  using map = std::map<std::string, double>;
  CHECK(static_metrics("static.sm_90.rows.registers = 54\nstatic.sm_90.rows.insn.total = 513\n") ==
        map{{"static.sm_90.rows.registers", 54}, {"static.sm_90.rows.insn.total", 513}});
  CHECK(
      static_metrics("gate.loud = 0\nstatic.sm_90.<b>.registers = 1\nstatic.a.b.c = nan\nstatic.a.b.d = -1\n"
                     "static.a.b.e = 1 x\nstatic.a.b.f=1\nstatic.a.b.g = ")
          .empty());
  std::string flood;
  for (int i = 0; i < 3000; ++i)
    flood += "static.sm_90.k" + std::to_string(i) + ".registers = 1\n";
  CHECK(static_metrics(flood).size() == 1024);
}

TEST_CASE("kernels of Triton and Gluon are compiled for two architectures, and never correct", "[torch]") {
  compiler b;
  for (const auto& [name, kernel, p] : {std::tuple{"softmax", "rows", ke_test::softmax_rows()},
                                        std::tuple{"gluon_softmax", "rows", ke_test::softmax_rows()},
                                        std::tuple{"matmul", "product", ke_test::product(dtype::f16)},
                                        std::tuple{"linear_gelu", "fused", ke_test::linear_gelu()}}) {
    std::map<std::string, double> counters;
    auto v = b.compiled(p, triton_candidate(name), &counters);
    INFO(name << "\n" << verdict_json(v));
    CHECK(v.state == verdict_state::compiled);
    CHECK_FALSE(v.score);
    CHECK_FALSE(v.timing);
    CHECK(v.cases == 0);
    CHECK(v.backend == "triton");
    for (const char* arch : {"sm_90", "sm_100"}) {
      auto figure = [&, of = "static." + std::string{arch} + "." + kernel + "."](const char* what) {
        auto at = counters.find(of + what);
        return at == counters.end() ? -1 : at->second;
      };
      CHECK(figure("registers") >= 16);
      CHECK(figure("spill_bytes") == 0);
      CHECK(figure("shared_bytes") > 0);
      CHECK(figure("insn.total") > 50);
      CHECK(figure("insn.global_store") > 0);
      if (std::string{name} == "matmul")
        CHECK(figure("insn.tensor") > 0);
    }
  }
}

TEST_CASE("what does not compile is a verdict with the candidate's own line", "[torch]") {
  compiler b;
  auto p = ke_test::softmax_rows();
  auto honest = triton_candidate("softmax");
  struct row {
    const char* what;
    std::string source;
    const char* reason;
  };
  for (const auto& r : std::vector<row>{
           {"a name that there is not", changed(honest, "tl.exp(", "tl.expo("),
            "candidate.py:11: error: CompilationError: "},
           {"a block of 100", changed(honest, "BLOCK=triton.next_power_of_2(x.shape[1])", "BLOCK=100"),
            "candidate.py:9: error: CompilationError: arange's range must be a power of 2"},
           {"no Python", changed(honest, "def kernel(x):", "def kernel(x)"),
            "candidate.py:15: error: SyntaxError"},
           {"no kernel", "import torch\n\ndef kernel(x):\n    return torch.softmax(x, 1)\n",
            "candidate.py: error: it launches no kernel of Triton"},
       }) {
    auto v = b.compiled(p, r.source);
    INFO(r.what << "\n" << verdict_json(v));
    CHECK(v.state == verdict_state::build_failed);
    CHECK(v.reason.starts_with(r.reason));
    CHECK(v.score == 0.0);
  }
  auto v = b.compiled(p, p.reference); // it needs no kernel of its own
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::compiled);
}

TEST_CASE("a kernel that compiles without end ends as its build's limit says", "[torch]") {
  compiler b;
  b.options.limits.build_s = 12;
  auto v = b.compiled(
      ke_test::softmax_rows(),
      "import torch, triton, triton.language as tl\n\n@triton.jit\ndef big(a, c, B: tl.constexpr):\n"
      "    i = tl.arange(0, B)\n    x = tl.load(a + i[:, None] * B + i[None, :])\n"
      "    tl.store(c + i[:, None] * B + i[None, :], tl.dot(x, x))\n\ndef kernel(x):\n"
      "    a = torch.empty((512, 512), dtype=torch.float16, device=x.device)\n"
      "    c = torch.empty((512, 512), dtype=torch.float32, device=x.device)\n"
      "    big[(1,)](a, c, B=512)\n    return x\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::build_failed);
  CHECK(v.reason == "the compiler did not end within the limit of 12 s");
}
