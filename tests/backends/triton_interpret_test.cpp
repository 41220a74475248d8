// Candidates of Triton on a machine without a device: checked by Triton's interpreter, never timed.
#include "backends/evaluation/python_parent.hpp"
#include "backends/evidence/kernel_launches.hpp"
#include "backends/judge/checked_sizes.hpp"
#include "tests/backends/triton_fixture.hpp"

#include <tuple>

using namespace ke;
using ke_test::changed;
using ke_test::torch_bench;
using ke_test::triton_candidate;

namespace {

struct interpreter : torch_bench {
  interpreter() : torch_bench{"triton-interpret"} {
    options.limits = torch.limits;
  } // an interpreter needs all of them
};

} // namespace

TEST_CASE("a backend takes the driver's files from another one's folder, and prepares its own beside them") {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  auto with = find_backend(*all, "triton-interpret");
  REQUIRE(with);
  CHECK_FALSE(with->timed);
  CHECK(with->executes);
  auto files = python_files_of(*with);
  CHECK(files.folder == std::filesystem::path{ke::test::source_dir()} / "backends/torch-cpu");
  REQUIRE(files.prepare.size() == 3);
  for (const auto& file : files.prepare)
    CHECK(std::filesystem::exists(file));
  auto own = python_files_of(*find_backend(*all, "torch-cpu"));
  CHECK(std::filesystem::equivalent(own.folder, files.folder));
  CHECK(own.prepare.empty());
}

TEST_CASE("what is timed has its workload's own size: the manifest says one or the other") {
  std::string text =
      "[backend]\nname = \"slow\"\nlanguage = \"python\"\nsuffix = \".py\"\ndriver = \"python\"\ndevice = "
      "\"cpu\"\n[detect]\ncommand = [\"x\"]\n[limits]\nelements = 1000\n";
  auto timed = parse_backend(text, "slow/backend.toml");
  REQUIRE_FALSE(timed);
  CHECK(timed.error().text ==
        "slow/backend.toml:10:12: limits.elements: needs capabilities.timed = false: what is timed "
        "has its workload's own size");
  auto untimed =
      parse_backend(text + "[capabilities]\ntimed = false\n[python]\nfolder = \"../other\"\nprepare = "
                           "[\"a.py\", \"b.py\"]\n",
                    "/there/slow/backend.toml");
  REQUIRE(untimed);
  CHECK(untimed->most_elements == 1000);
  auto files = python_files_of(*untimed);
  CHECK(files.folder == "/there/other");
  CHECK(files.prepare == std::vector<std::filesystem::path>{"/there/slow/a.py", "/there/slow/b.py"});
}

TEST_CASE("a workload that is too large for an interpreter is made smaller, and that is told") {
  auto p = ke_test::softmax_rows();
  p.workloads = {{"large", {{"M", 512}, {"N", 4096}}, 1.0, false}};
  auto own = *bind_shapes(p, "large", p.workloads[0].dims);
  std::map<std::string, std::string> told;
  checked_sizes usual{0};
  CHECK(usual.of(p, own).dims == own.dims);
  CHECK(usual.samples(6) == 6);
  CHECK(usual.of_secrets() == 1u << 18);
  usual.tell(told);
  CHECK(told.empty());
  checked_sizes slow{1u << 18};
  CHECK(slow.of_secrets() == 1u << 10); // one program for each element, at 6 ms, within a call's 20 s
  auto smaller = slow.of(p, own);
  CHECK(elements_of(smaller) <= 1u << 18);
  CHECK(smaller.dims.at("N") == 1024); // every extent by the same power of two
  CHECK(smaller.dims.at("M") == 128);
  CHECK(slow.samples(6) == 2);
  slow.tell(told);
  REQUIRE(told.contains("smaller_sizes"));
  CHECK(told.at("smaller_sizes")
            .starts_with("workload large with M = 128, N = 1024; secret shapes of at most 1024 "));
  p.promise["N"] = {4096, 4096, 1}; // one that must stay
  checked_sizes held{1u << 18};
  CHECK(held.of(p, own).dims.at("N") == 4096);
  CHECK(held.of(p, own).dims.at("M") == 32);
}

TEST_CASE("what was launched is told in words, and a forged name is not") {
  CHECK(launches_in("total 3 1\n").empty());
  CHECK(launches_in("launched\ntotal 3 1\n") == "none: it launched no kernel of its own");
  CHECK(launches_in("launched\nlaunch 1 33 rows\nlaunch 2 1 cols\n") ==
        "rows: 1 launch of 33 programs, cols: 2 launches of 1 program");
  CHECK(launches_in("launched\nlaunch 1 33 ro<b>ws\nlaunch x 33 rows\ntimeline\nlaunch 1 1 late\n") ==
        "none: it launched no kernel of its own");
}

TEST_CASE("honest kernels of Triton are correct by the interpreter, untimed, under its name", "[torch]") {
  interpreter b;
  for (const auto& [name, p] :
       {std::pair{"softmax", ke_test::softmax_rows()}, std::pair{"layer_norm", ke_test::layer_norm()},
        std::pair{"matmul", ke_test::product()}, std::pair{"linear_gelu", ke_test::linear_gelu()}}) {
    auto v = b.judge(p, triton_candidate(name), true); // whoever asks for a time gets none
    INFO(name << "\n" << verdict_json(v));
    CHECK(v.state == verdict_state::correct);
    CHECK(v.backend == "triton-interpret");
    CHECK(v.decision == timing_decision::none);
    CHECK_FALSE(v.score);
    CHECK_FALSE(v.timing);
    CHECK(v.timed_calls == 0);
    CHECK(v.cases >= 10);
    CHECK(v.provenance.at("language") == "triton");
    CHECK(v.provenance.at("smaller_sizes").find("secret shapes of at most 1024") != std::string::npos);
    REQUIRE(v.provenance.contains("launches"));
    CHECK(v.provenance.at("launches").find(" launch of ") != std::string::npos);
  }
}

TEST_CASE("Bug: bfloat16 is computed with as numbers, not as its bits", "[torch]") {
  interpreter b;
  auto scaled =
      ke_test::of_python("scaled", "reference(x, w):\n    y = x * w\n    return y / y.abs().sum(1, True)");
  scaled.dims = {"M", "N"};
  scaled.tensors = {ke_test::tensor("x", tensor_role::in, {"M", "N"}, dtype::bf16),
                    ke_test::tensor("w", tensor_role::in, {"N"}, dtype::bf16),
                    ke_test::tensor("y", tensor_role::out, {"M", "N"}, dtype::bf16)};
  scaled.workloads = {{"wide", {{"M", 12}, {"N", 300}}, 1.0, false}};
  scaled.promise["N"] = {1, 4096, 1};
  auto honest =
      triton_candidate("scaled"); // arithmetic, a comparison, a reduction and a cast in sixteen bits
  for (const auto& [p, source, state] :
       {std::tuple{scaled, honest, verdict_state::correct},
        std::tuple{scaled, changed(honest, "u / whole", "u / whole + 0.01"), verdict_state::incorrect},
        std::tuple{ke_test::product(dtype::bf16), triton_candidate("matmul"), verdict_state::correct}}) {
    auto v = b.judge(p, source);
    INFO(p.name << "\n" << verdict_json(v));
    CHECK(v.state == state);
  }
}

TEST_CASE("Bug: eight-bit floats keep their NaN and saturate under the interpreter", "[torch]") {
  // Its own casts made 480 of a NaN in e4m3, and an honest scale of eight bits was incorrect.
  auto p = ke_test::of_python(
      "scaled", "reference(x):\n    return (x.float() * 3).clamp(-448, 448).to(torch.float8_e4m3fn)");
  p.dims = {"N"};
  p.tensors = {ke_test::tensor("x", tensor_role::in, {"N"}, dtype::f8e4m3),
               ke_test::tensor("y", tensor_role::out, {"N"}, dtype::f8e4m3)};
  p.workloads = {{"short", {{"N", 300}}, 1.0, false}};
  const std::string source = R"(import torch, triton, triton.language as tl

@triton.jit
def threefold(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n).to(tl.float32) * 3
    tl.store(y + at, v.to(y.dtype.element_ty), mask=at < n)

def kernel(x):
    x, y = x.contiguous(), torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        threefold[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
)";
  interpreter b;
  auto v = verdict_of(b.evidence_of(p, source), p, measure_plan::eval);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  v = verdict_of(b.evidence_of(p, changed(source, "* 3", "* 3.5")), p, measure_plan::eval);
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("a candidate without a kernel of Triton is told as one", "[torch]") {
  interpreter b;
  auto v =
      b.judge(ke_test::softmax_rows(), "import torch\n\ndef kernel(x):\n    return torch.softmax(x, 1)\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("launches").starts_with("none"));
}

TEST_CASE("wrong and hostile kernels of Triton get their verdicts, and the next one is unhurt", "[torch]") {
  interpreter b;
  auto p = ke_test::softmax_rows();
  auto honest = triton_candidate("softmax");
  auto far = changed(honest, "tl.load(x + row * n + at, mask=at < n",
                     "tl.load(x + row * n + at + (1 << 44), mask=at < n");
  const std::string blind =
      "def kernel(x):\n    import sys\n    sys.modules['bounds'].look = lambda *_: None\n";
  struct row {
    const char* what;
    std::string source;
    verdict_state state;
    const char* reason;
    double call_s = 20; // an honest call of many programs may take seconds
  };
  for (const auto& r : std::vector<row>{
           {"reads far outside", far, verdict_state::crashed, "beside the tensors of its launch"},
           {"reads one element beside its input",
            changed(honest, "tl.load(x + row * n + at, mask=at < n",
                    "tl.load(x + row * n + at, mask=at < n + 1"),
            verdict_state::crashed, "the kernel rows loads 1 of "},
           {"writes beside its result",
            changed(honest, "element_ty), mask=at < n)", "element_ty), mask=at < n + 1)"),
            verdict_state::crashed, "the kernel rows stores 1 of "},
           {"takes the look at bounds away, and reads far outside", changed(far, "def kernel(x):\n", blind),
            verdict_state::crashed, "signal 11"},
           {"takes it away, and writes just beside an input",
            changed(changed(honest, "    e = tl.exp",
                            "    tl.store(x + tl.num_programs(0).to(tl.int64) * n, 0.0)\n    e = tl.exp"),
                    "def kernel(x):\n", blind),
            verdict_state::incorrect, ""},
           {"forgets the tail", changed(honest, "mask=at < n, other", "mask=at < n // 8 * 8, other"),
            verdict_state::incorrect, "wrong value"},
           {"never ends",
            changed(honest, "    e = tl.exp", "    while n > 0:\n        v = v + 0.0\n    e = tl.exp"),
            verdict_state::timeout, "did not end within 3.000 s", 3},
           {"starts a process",
            changed(honest, "    if x.numel():", "    import os\n    os.fork()\n    if x.numel():"),
            verdict_state::cheating_suspected, "forged_channel"},
           {"patches what compares",
            changed(honest, "def kernel(x):\n",
                    "def kernel(x):\n    torch.empty = lambda *a, **k: torch.zeros(1)\n    torch.equal = "
                    "torch.allclose = lambda *a, **k: True\n"),
            verdict_state::crashed, ""},
           {"leaves results as they were", changed(honest, "rows[(x.shape[0],)](", "(lambda *a, **k: None)("),
            verdict_state::incorrect, "wrong value"},
           {"asks for a device", changed(honest, "device=x.device", "device=\"cuda\""),
            verdict_state::crashed, "CUDA"},
       }) {
    b.options.limits.call_s = r.call_s;
    auto v = b.judge(p, r.source);
    INFO(r.what << "\n" << verdict_json(v));
    CHECK(v.state == r.state);
    CHECK(v.reason.find(r.reason) != std::string::npos);
    CHECK(v.score == 0.0);
  }
  b.options.limits.call_s = b.torch.limits.call_s;
  CHECK(b.judge(p, honest).state == verdict_state::correct);
}
