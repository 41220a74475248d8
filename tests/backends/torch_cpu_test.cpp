#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/torch_fixture.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

using namespace ke;
using ke_test::candidate;
using ke_test::kernelbench;
using ke_test::torch_bench;

namespace {

struct expected {
  const char* name;
  std::string source;
  std::vector<verdict_state> states;
  std::string reason = {}; ///< a part of it
};

void judge_all(torch_bench& b, const problem& p, const std::vector<expected>& all) {
  for (const auto& e : all) {
    auto v = b.judge(p, e.source);
    INFO(e.name << "\n" << e.source << "\n" << verdict_json(v));
    CHECK(std::count(e.states.begin(), e.states.end(), v.state) == 1);
    CHECK(v.reason.find(e.reason) != std::string::npos);
  }
}

const problem& softmax() {
  static const auto p = kernelbench("return torch.softmax(x, dim=1)");
  return p;
}

const std::string right =
    "e = torch.exp(x - x.amax(dim=1, keepdim=True))\nreturn e / e.sum(dim=1, keepdim=True)";

} // namespace

TEST_CASE("honest Python candidates are correct, however they are written", "[torch]") {
  torch_bench b;
  auto is = std::vector{verdict_state::correct};
  judge_all(
      b, softmax(),
      {{"the reference itself", candidate("return torch.softmax(x, dim=1)"), is},
       {"another order of sums", candidate(right), is},
       {"a result that is a view with other strides",
        candidate("return torch.softmax(x.t().contiguous(), dim=0).t()"), is},
       {"threads of its own that it waits for",
        candidate("out = torch.empty_like(x)\n"
                  "def part(i):\n    out[i::2] = torch.softmax(x[i::2], dim=1)\n"
                  "ts = [threading.Thread(target=part, args=(i,)) for i in range(2)]\n"
                  "[t.start() for t in ts]\n[t.join() for t in ts]\nreturn out",
                  "import threading"),
        is},
       {"a compiled script",
        candidate("return self.f(x)",
                  "@torch.jit.script\ndef f(x: torch.Tensor) -> torch.Tensor:\n"
                  "    return torch.softmax(x, dim=1)",
                  "self.f = f"),
        is},
       {"words on both streams", candidate("print('hello')\nprint('world', file=sys.stderr)\n" + right), is},
       {"its own words for a class of the same name as the driver's",
        candidate(right, "class Caller: pass\nclass Payload: pass"), is}});
}

TEST_CASE("a sum in order of equal terms is within the tolerance of a Python reference that sums in pairs",
          "[torch]") {
  // Once refused in two runs of six: the length of the sums was not measured where get_inputs() draws.
  torch_bench b;
  auto in_order = candidate("return torch.softmax(x.t().contiguous(), dim=0).t()");
  for (const auto* inputs :
       {"torch.where(torch.rand(8, 250) < 0.1, torch.randn(8, 250), torch.zeros(8, 250))",
        "torch.where(torch.rand(8, 9000) < 0.01, torch.randn(8, 9000), torch.zeros(8, 9000))"}) {
    auto v = b.judge(kernelbench("return torch.softmax(x, dim=1)", inputs), in_order);
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}

TEST_CASE("sums that cancel may differ by what one rounding of their terms makes", "[torch]") {
  // PyTorch adds prefixes in double precision, so the reference's own error says nothing of an honest
  // kernel's.
  torch_bench b;
  auto p = kernelbench("return torch.cumsum(x, 1)", "torch.randn(16, 2000)");
  auto v = b.judge(p, candidate("a = torch.cumsum(x.view(16, 40, 50), 2)\n"
                                "before = F.pad(torch.cumsum(a[:, :, -1], 1)[:, :-1], (1, 0))\n"
                                "return (a + before.unsqueeze(2)).view(16, 2000)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  v = b.judge(p, candidate("return torch.cumsum(x.half().float(), 1)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("a mean over everything is fit in each run, though half the width may come near it by chance",
          "[torch]") {
  torch_bench b;
  auto p = kernelbench("return torch.mean(x * x)", "torch.randn(64, 256)");
  for (int run = 0; run < 5; ++run) {
    auto v = b.judge(p, candidate("f = x.flatten()\nreturn torch.dot(f, f) / f.numel()"));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}

TEST_CASE(
    "sums of rounded products are fit in each run, though the check sees half the width but now and then",
    "[torch]") {
  // Unfit in one run of four: whether the bound was tightened was left to six draws, and then one draw each
  // asked again.
  torch_bench b;
  auto p = kernelbench("return (x * x.flip(0)).sum(1)", "torch.randn(64, 1024).bfloat16()");
  for (int run = 0; run < 12; ++run) {
    auto v = b.judge(p, candidate("return (x.float() * x.flip(0).float()).sum(1).bfloat16()"));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}

TEST_CASE("weights are the same for all who make them in the same order", "[torch]") {
  torch_bench b;
  auto p = kernelbench("return torch.relu(self.second(self.first(x)))", "torch.randn(4, 64)",
                       "self.first = nn.Linear(64, 48); self.second = nn.Linear(48, 32)");
  auto v = b.judge(p, candidate("h = x @ self.a.weight.t() + self.a.bias\nreturn F.linear(h, self.b.weight, "
                                "self.b.bias).clamp_(min=0)",
                                "", "self.a = nn.Linear(64, 48); self.b = nn.Linear(48, 32)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  CHECK(v.cases >= 10);
  v = b.judge(p, candidate("return torch.relu(self.b(self.a(x)))", "",
                           "self.b = nn.Linear(48, 32); self.a = nn.Linear(64, 48)"));
  CHECK(v.state == verdict_state::incorrect);
  // Half of the precision is not the problem's.
  v = b.judge(p, candidate("return torch.relu(self.b(self.a(x.bfloat16().float())))", "",
                           "self.a = nn.Linear(64, 48); self.b = nn.Linear(48, 32)"));
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("every way to fail has its state, and the reason says where", "[torch]") {
  torch_bench b;
  using s = verdict_state;
  judge_all(b, softmax(),
            {{"syntax", "import torch\n\ndef f(:\n", {s::build_failed}, "candidate.py:3"},
             {"import", "import torch\nimport no_such_module\n", {s::build_failed}, "no_such_module"},
             {"no class", "import torch\nclass Modelnew: pass\n", {s::build_failed}, "ModelNew"},
             {"an exception while it is made",
              candidate(right, "", "raise ValueError('never')"),
              {s::build_failed},
              "never"},
             {"an exit while it is read", "import os\nos._exit(0)\n", {s::crashed}, "exit code 0"},
             {"an exception",
              candidate("y = x + 1\nraise RuntimeError('on purpose')\n"),
              {s::crashed},
              "on purpose (candidate.py:11)"},
             {"sys.exit", candidate("sys.exit(0)"), {s::crashed}, "SystemExit"},
             {"os._exit", candidate("os._exit(0)"), {s::crashed}, "exit code 0"},
             {"a wild pointer", candidate("import ctypes\nctypes.string_at(8)"), {s::crashed}, "SIGSEGV"},
             {"another shape",
              candidate("return torch.softmax(x, dim=1)[:, :1]"),
              {s::incorrect},
              "the shape [8, 1] instead of [8, 250]"},
             {"a scalar tensor", candidate("return x.sum()"), {s::incorrect}, "the shape [] instead"},
             {"another type",
              candidate("return torch.softmax(x, dim=1).double()"),
              {s::incorrect},
              "torch.float64 instead of torch.float32"},
             {"no tensor", candidate("return [[0.0]]"), {s::incorrect}, "a list instead of a tensor"},
             {"too many", candidate("return x, x"), {s::incorrect}, "2 results instead of 1"},
             {"an axis", candidate("return torch.softmax(x, dim=0)"), {s::incorrect}, "out0[0, 0]"},
             {"without end",
              candidate("while True: pass"),
              {s::timeout},
              "the first one includes what the candidate compiles"},
             {"without end in C", candidate("time.sleep(1000)"), {s::timeout}},
             {"memory",
              candidate("keep = []\nwhile True: keep.append(torch.ones(1 << 24))"),
              {s::resource_exceeded},
              "1024 MiB"},
             {"memory of Python's own",
              candidate("keep = []\nwhile True: keep.append(bytearray(1 << 24))"),
              {s::resource_exceeded}}});
}

// More of them, each by itself through the real program: tests/redteam/candidates/py_*.
namespace {

/// A view of the memory that the judge reads, taken from the driver's own frame.
const std::string judges_output = "f = sys._getframe()\nwhile 'outputs' not in f.f_locals: f = f.f_back\n"
                                  "o = f.f_locals['outputs'][0]\n"
                                  "out = f.f_locals['self'].view(o, o.held, f.f_locals['table'][o.at])\n";

} // namespace

TEST_CASE("attacks from Python get nothing that they do not deserve", "[torch]") {
  torch_bench b;
  using s = verdict_state;
  auto marker = std::filesystem::temp_directory_path() / ("ke-torch-marker-" + std::to_string(getpid()));
  std::filesystem::remove(marker);
  std::string file = "'" + marker.string() + "'";
  judge_all(
      b, softmax(),
      {{"a lazy subclass",
        candidate("return torch.Tensor._make_subclass(Lazy, torch.empty_like(x))",
                  "class Lazy(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, t, a=(), "
                  "k=None):\n"
                  "        return super().__torch_function__(f, t, a, k or {})\n"),
        {s::incorrect},
        "a Lazy instead of a tensor"},
       {"results remembered by address",
        candidate("k = x.data_ptr()\nif k not in seen: seen[k] = torch.softmax(x, 1)\nreturn seen[k]",
                  "seen = {}"),
        {s::incorrect, s::nondeterministic}},
       {"the right result in the judge's memory, where copying it costs nothing",
        candidate(judges_output + "return torch.softmax(x, 1, out=out)"),
        {s::incorrect},
        "where nobody was sent"},
       {"a thread that finishes later, in the judge's memory",
        candidate(
            judges_output +
                "threading.Thread(target=lambda: (time.sleep(0.2), out.copy_(torch.softmax(x, 1)))).start()\n"
                "return torch.zeros_like(x)",
            "import threading"),
        {s::incorrect, s::cheating_suspected}},
       {"a payload for whoever unpickles it",
        candidate("return Payload()",
                  "class Payload:\n    def __reduce_ex__(self, version):\n        return (open, (" + file +
                      ", 'w'))\n    def __torch_function__(self, *a): return torch.zeros(8, 250)\n"),
        {s::incorrect}},
       {"a forged answer",
        candidate(
            "import struct\nos.write(5, struct.pack('<QIIQ', 7777, 4, 0, 1))\nreturn torch.softmax(x, 1)"),
        {s::cheating_suspected}},
       {"an answer before the work",
        candidate("import struct\nglobal n\nn += 1\nos.write(5, struct.pack('<QIIQ', n, 4, 0, "
                  "1))\ntime.sleep(0.05)\nreturn torch.softmax(x, 1)",
                  "n = 0"),
        {s::incorrect, s::nondeterministic, s::cheating_suspected}},
       {"a driver that writes nothing",
        candidate("import driver\ndriver.Caller.written = lambda *a: None\nreturn torch.zeros_like(x)"),
        {s::incorrect}},
       {"a copy that copies nothing",
        candidate("torch.Tensor.copy_ = lambda self, other: self\nreturn torch.softmax(x, 1)"),
        {s::incorrect}},
       {"processes without end",
        candidate("try:\n    for _ in range(2000):\n        if os.fork() == 0: time.sleep(1000)\nexcept "
                  "OSError: pass\n" +
                  right),
        {s::correct, s::resource_exceeded, s::crashed, s::timeout}},
       {"the network",
        candidate("import socket\nc = socket.create_connection(('127.0.0.1', 22), 1)\nreturn x"),
        {s::policy_violation},
        "Error"},
       {"another namespace",
        candidate("import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == -1\n" + right),
        {s::correct}}});
  CHECK_FALSE(std::filesystem::exists(marker));
}

TEST_CASE("a forged answer to a wrong call's repetition is neither right nor luck", "[torch]") {
  torch_bench b;
  auto v = b.judge(softmax(), candidate("seen.append(1)\nif len(seen) > 1: os.write(5, bytes(24))\n"
                                        "return torch.zeros_like(x)",
                                        "seen = []"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::cheating_suspected);
}

TEST_CASE("Python candidates get no memory beyond the limits and no other processors", "[torch]") {
  torch_bench b;
  judge_all(b, softmax(),
            {{"files without a name, segments, processors",
              candidate(right, "import ctypes\n"
                               "def refused(call):\n    try: call()\n    except OSError: return True\n"
                               "assert refused(lambda: os.memfd_create('m'))\n"
                               "assert refused(lambda: os.sched_setaffinity(0, range(2)))\n"
                               "assert ctypes.CDLL(None).shmget(0, 4096, 0o1600) == -1\n"),
              {verdict_state::correct}}});
  b.options.limits.memory_bytes = 300 << 20;
  judge_all(b, softmax(),
            {{"children that take what one may",
              // Each far below the limit by itself: a process's address space has a limit of its own.
              candidate("for _ in range(12):\n    if os.fork() == 0:\n"
                        "        keep = torch.ones(10 << 20)\n        time.sleep(1000)\n"
                        "time.sleep(1000)"),
              {verdict_state::resource_exceeded},
              "and its processes reached its memory limit of 300 MiB"},
             {"children that share what they were born with",
              candidate("for _ in range(4):\n    if os.fork() == 0:\n        time.sleep(0.05)\n"
                        "        os._exit(0)\nfor _ in range(4): os.wait()\n" +
                        right),
              {verdict_state::correct}}});
}

TEST_CASE("Bug: what lies behind /etc was forbidden to Python candidates, instead of absent", "[torch]") {
  // torch.compile on a device asks for nvcc behind /etc/alternatives, and takes "there is none" for an answer, but no refusal.
  torch_bench b;
  judge_all(b, softmax(),
            {{"looks for programs",
              candidate(right, "os.listdir('/etc/alternatives')\n"
                               "for path in ('/usr/bin/cc', '/etc/alternatives/none', '/etc/none'):\n"
                               "    try: os.stat(path)\n    except FileNotFoundError: pass\n"),
              {verdict_state::correct}}});
}

TEST_CASE("Bug: a reference that is wrong on misaligned tensors was refused, and so was who repeats it",
          "[torch]") {
  torch_bench b;
  problem p;
  p.name = "doubled";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"some", {{"N", 300}}, 1.0, false}};
  p.reference_language = "python";
  auto doubling = [](const std::string& name, const std::string& misaligned) {
    return "def " + name + "(x):\n    return 2 * x if x.data_ptr() % 16 == 0 else " + misaligned + "\n";
  };
  p.reference = doubling("reference", "2.5 * x"); // as a library's kernels do that load by sixteen bytes
  for (const auto& other : {"2.5 * x", "2 * x", "3 * x"})
    CHECK(b.judge(p, doubling("kernel", other)).state == verdict_state::correct);
  p.reference = doubling("reference", "2 * x");
  auto v = b.judge(p, doubling("kernel", "3 * x"));
  CHECK(v.state == verdict_state::incorrect);
  CHECK(v.reason.find("misaligned") != std::string::npos);
}

TEST_CASE("a problem.toml with a Python reference has operator functions for candidates", "[torch]") {
  torch_bench b;
  problem p;
  p.name = "scaled-add";
  p.dims = {"M", "N"};
  p.tensors = {{"a", tensor_role::in, dtype::f16, {"M", "N"}, "normal"},
               {"b", tensor_role::inout, dtype::f32, {"N"}, "normal"},
               {"best", tensor_role::out, dtype::i64, {"M"}, "normal"},
               {"sum", tensor_role::out, dtype::bf16, {"M"}, "normal"}};
  p.scalars = {{"scale", false, 0.5}, {"shift", true, 2}};
  p.workloads = {{"wide", {{"M", 33}, {"N", 200}}, 1.0, false}};
  p.reference_language = "python";
  p.reference = "import torch\ndef reference(a, b, scale, shift):\n"
                "    c = a.to(b.dtype) * scale\n    b += c.sum(0)\n"
                "    return c.argmax(1), ((c * c).sum(1) + shift).to(b.dtype if b.dtype == torch.float64 "
                "else torch.bfloat16)\n";
  std::string honest =
      "import torch\ndef kernel(a, b, scale, shift):\n    c = a.float().mul_(scale)\n"
      "    b.add_(c.sum(0))\n    return c.max(1).indices, (c.square().sum(1) + shift).bfloat16()\n";
  auto v = b.judge(p, honest);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  CHECK(v.provenance.at("secret_shapes") != "0");
  CHECK(b.judge(p, p.reference).state == verdict_state::correct);
  CHECK(b.judge(p, "import torch\ndef other(a, b, scale, shift): pass\n").reason.find("`kernel`") !=
        std::string::npos);
  auto shifted = honest;
  shifted.replace(shifted.find("+ shift"), 7, "+ 2 + 0 * shift");
  CHECK(b.judge(p, shifted).state == verdict_state::correct);
  auto lost = honest;
  lost.replace(lost.find("b.add_"), 6, "b.add");
  v = b.judge(p, lost);
  REQUIRE(v.first_failure);
  CHECK(v.first_failure->tensor == "b");
  auto shaped = honest;
  shaped.replace(shaped.find("    c ="), 7, "    assert a.shape[1] == 200\n    c =");
  CHECK(b.judge(p, shaped).state == verdict_state::crashed); // a secret shape has met it
}

TEST_CASE("a problem that is wrong itself says so with file and line", "[torch]") {
  torch_bench b;
  auto v = b.judge(kernelbench("return x.no_such_method()"), candidate(right));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("bench.py:10") != std::string::npos);
  v = b.judge(kernelbench("return x * 0"), candidate("return x * 0"));
  CHECK(v.state == verdict_state::unfit_problem);
  v = b.judge(kernelbench("return x", "'text'"), candidate("return x"));
  CHECK(v.reason.find("argument 0 of get_inputs() is a str") != std::string::npos);
  v = b.judge(kernelbench("return x + torch.rand(1)"), candidate("return x"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
}

TEST_CASE("a backward pass is a problem whose outputs are gradients", "[torch]") {
  torch_bench b;
  problem p;
  p.name = "rmsnorm-backward";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"w", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"dy", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"dx", tensor_role::out, dtype::f32, {"M", "N"}, "normal"},
               {"dw", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"wide", {{"M", 24}, {"N", 96}}, 1.0, false}};
  p.reference_language = "python";
  p.reference = R"(import torch
def reference(x, w, dy):
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        w = w.detach().requires_grad_()
        y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w
        return torch.autograd.grad(y, (x, w), dy)
)";
  std::string formula = R"(import torch
def kernel(x, w, dy):
    r = torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)
    g = dy * w
    return r * (g - x * r * r * (g * x).mean(-1, keepdim=True)), (dy * x * r).sum(0)
)";
  auto v = b.judge(p, formula);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  auto forgotten = formula;
  forgotten.replace(forgotten.find(" - x * r * r * (g * x).mean(-1, keepdim=True)"), 45, "");
  v = b.judge(p, forgotten);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
  REQUIRE(v.first_failure);
  CHECK(v.first_failure->tensor == "dx");
}
