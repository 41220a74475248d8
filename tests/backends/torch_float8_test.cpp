// f8e4m3 and f8e5m2 in PyTorch: its conversions are those of ke.h, bit by bit, and problems in it are judged.
#include "backends/cpu-cpp/ke.h"
#include "backends/evaluation/problem_lint.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "tests/backends/torch_fixture.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace ke;
using ke_test::candidate;
using ke_test::kernelbench;
using ke_test::torch_bench;

namespace {

constexpr std::uint32_t stride = 4093; // every so manieth float

/// The bytes that a script prints.
std::string printed(const std::string& script) {
  auto file = std::filesystem::temp_directory_path() / ("ke-float8-" + std::to_string(getpid()));
  process_service processes;
  process_spec spec;
  spec.argv = {python_program(), "-c",
               "import torch\nout = open('" + file.string() +
                   "', 'wb')\n"
                   "def put(x): out.write(bytes(x.contiguous().view(torch.uint8).flatten().tolist()))\n" +
                   script};
  spec.env = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}};
  auto how = run_and_wait(processes, std::move(spec));
  INFO(how.err);
  REQUIRE(how.code == 0);
  std::ifstream in{file, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::filesystem::remove(file);
  return bytes;
}

problem python_problem(std::vector<tensor_spec> tensors, const std::string& reference) {
  problem p;
  p.name = "float8";
  p.dims = {"M", "N"};
  p.tensors = std::move(tensors);
  p.workloads = {{"w", {{"M", 40}, {"N", 64}}, 1, false}};
  p.reference_language = "python";
  p.reference = "import torch\ndef reference" + reference;
  return p;
}

struct judged {
  const char* name;
  std::string text;
  verdict_state state;
};

constexpr auto is_right = verdict_state::correct, is_wrong = verdict_state::incorrect;

void judge_each(torch_bench& b, const problem& p, const std::vector<judged>& all) {
  for (const auto& one : all) {
    auto v = b.judge(p, one.text);
    INFO(one.name << "\n" << verdict_json(v));
    CHECK(v.state == one.state);
    CHECK(v.provenance["truth"] == "the reference in wider arithmetic");
  }
}

std::string kernel(const std::string& text) {
  return "import torch\ndef kernel" + text + "\n";
}

} // namespace

TEST_CASE("PyTorch converts every bf16, and floats of all sizes, to the bits that ke.h gives", "[torch]") {
  const auto bytes = printed("step = " + std::to_string(stride) + R"(
wide = torch.arange(0, 2 ** 32, step, dtype=torch.int64)
x = torch.where(wide < 2 ** 31, wide, wide - 2 ** 32).to(torch.int32).view(torch.float32)
b = torch.arange(65536, dtype=torch.int64)
b = torch.where(b < 32768, b, b - 65536).to(torch.int16).view(torch.bfloat16)
for kind in (torch.float8_e4m3fn, torch.float8_e5m2):
    put(x.to(kind))
    put(b.to(kind))
    put(torch.arange(256, dtype=torch.int32).to(torch.uint8).view(kind).float())
out.close()
)");
  const std::size_t floats = ((std::uint64_t{1} << 32) + stride - 1) / stride;
  REQUIRE(bytes.size() == 2 * (floats + 65536 + 1024));
  const char* at = bytes.data();
  for (bool e4m3 : {true, false}) {
    auto bits = [&](float x) { return e4m3 ? ke_float_to_f8e4m3(x) : ke_float_to_f8e5m2(x); };
    std::size_t apart = 0;
    for (std::uint64_t i = 0; i < floats; ++i)
      apart += bits(std::bit_cast<float>(static_cast<std::uint32_t>(i * stride))) !=
               static_cast<std::uint8_t>(*at++);
    CHECK(apart == 0);
    for (std::uint32_t i = 0; i < 65536; ++i)
      apart += bits(ke_bf16_to_float(static_cast<std::uint16_t>(i))) != static_cast<std::uint8_t>(*at++);
    CHECK(apart == 0);
    for (unsigned i = 0; i < 256; ++i, at += 4) {
      float said;
      std::memcpy(&said, at, 4);
      auto byte = static_cast<std::uint8_t>(i);
      apart += std::bit_cast<std::uint32_t>(said) !=
               std::bit_cast<std::uint32_t>(e4m3 ? ke_f8e4m3_to_float(byte) : ke_f8e5m2_to_float(byte));
    }
    CHECK(apart == 0);
  }
}

TEST_CASE("quantised in PyTorch: rounding is right, truncation and a scale forgotten are not", "[torch]") {
  torch_bench b;
  auto p = python_problem({{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
                           {"y", tensor_role::out, dtype::f8e4m3, {"M", "N"}, "normal"}},
                          "(x):\n    return (x * 12.5).to(torch.float8_e4m3fn)\n");
  judge_each(
      b, p,
      {{"the reference", p.reference, is_right},
       {"another order", kernel("(x): return x.mul(25).mul_(0.5).type(torch.float8_e4m3fn)"), is_right},
       {"rows apart",
        kernel("(x):\n    y = torch.empty_like(x, dtype=torch.float8_e4m3fn)\n"
               "    y[::2], y[1::2] = x[::2] * 12.5, x[1::2] * 12.5\n    return y"),
        is_right},
       {"truncated",
        kernel("(x):\n    v = x * 12.5\n    q = v.to(torch.float8_e4m3fn)\n"
               "    over = q.float().abs() > v.abs()\n"
               "    return (q.view(torch.uint8) - over.to(torch.uint8)).view(torch.float8_e4m3fn)"),
        is_wrong},
       {"without its scale", kernel("(x): return x.to(torch.float8_e4m3fn)"), is_wrong},
       {"a NaN is a number", kernel("(x): return (x * 12.5).nan_to_num(0.0).to(torch.float8_e4m3fn)"),
        is_wrong},
       {"of the other format",
        kernel("(x): return (x * 12.5).to(torch.float8_e5m2).view(torch.uint8).view(torch.float8_e4m3fn)"),
        is_wrong}});
  auto report = lint_problem(p, b.torch, b.options, b.processes);
  REQUIRE(report);
  INFO(lint_json(p, *report));
  CHECK(report->reasons.empty());
  REQUIRE_FALSE(report->tolerances.empty());
  CHECK(report->tolerances[0].relative == Approx(0x1p-4).epsilon(0.02));
}

TEST_CASE("products and sums of eight bits in PyTorch, whose reference converts by name", "[torch]") {
  torch_bench b;
  const auto d = dtype::f8e4m3;
  auto p = python_problem({{"a", tensor_role::in, d, {"M", "N"}, "normal"},
                           {"w", tensor_role::in, d, {"M", "N"}, "normal"},
                           {"y", tensor_role::out, dtype::bf16, {"M", "M"}, "normal"}},
                          "(a, w):\n    return (a.float() @ w.float().t() * 0.05).to(torch.bfloat16)\n");
  p.tensors[1].any_strides = true;
  judge_each(
      b, p,
      {{"the reference", p.reference, is_right},
       {"in double", kernel("(a, w): return (a.double() @ w.double().t() * 0.05).bfloat16()"), is_right},
       {"half of the sum",
        kernel("(a, w):\n    n = a.shape[1] // 2\n    return (a[:, :n].float() @ w[:, :n].float()"
               ".t() * 0.05).bfloat16()"),
        is_wrong},
       {"without its scale", kernel("(a, w): return (a.float() @ w.float().t()).bfloat16()"), is_wrong}});
  auto sums = python_problem({{"x", tensor_role::in, dtype::f8e5m2, {"M", "N"}, "normal"},
                              {"y", tensor_role::out, dtype::f8e5m2, {"M"}, "normal"}},
                             "(x):\n    return x.float().sum(1).to(torch.float8_e5m2)\n");
  judge_each(b, sums,
             {{"the reference", sums.reference, is_right},
              {"in double", kernel("(x): return x.double().sum(1).float().to(x.dtype)"), is_right},
              {"half of the sum", kernel("(x): return x[:, ::2].float().sum(1).to(x.dtype)"), is_wrong},
              {"added up in eight bits",
               kernel("(x):\n    y = x[:, 0]\n    for i in range(1, x.shape[1]):\n"
                      "        y = (y.float() + x[:, i].float()).to(x.dtype)\n    return y"),
               is_wrong}});
}

TEST_CASE("a KernelBench file may have inputs and results of eight bits", "[torch]") {
  torch_bench b;
  auto p = kernelbench("return (x.float() * 3).to(x.dtype)", "torch.randn(32, 250).to(torch.float8_e4m3fn)");
  auto v = b.judge(p, candidate("return x.float().mul_(3).to(torch.float8_e4m3fn)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance["truth"] == "the reference in wider arithmetic");
  v = b.judge(p, candidate("return (x.float() * 3.2).to(x.dtype)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
  auto positive = kernelbench("return x.float().sum(1)", "torch.rand(32, 250).to(torch.float8_e5m2)");
  v = b.judge(positive, candidate("return x.double().sum(1).float()"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  v = b.judge(positive, candidate("return x.float().abs().sum(1)")); // no draw has the other sign
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("who rounds twice is found by a truth in wider arithmetic, and of a rounded one by how many are "
          "neighbours",
          "[torch]") {
  torch_bench b;
  const auto twice = kernel("(x): return x.to(torch.float8_e5m2).float().to(torch.float8_e4m3fn)"),
             once = kernel("(x): return x.to(torch.float8_e4m3fn)");
  // The second one's truth is rounded itself: what it copies was so.
  for (const char* reference :
       {"(x):\n    return x.to(torch.float8_e4m3fn)\n", "(x):\n    y = x.to(torch.float8_e4m3fn).float()\n"
                                                        "    return y.clone().to(torch.float8_e4m3fn)\n"}) {
    auto p = python_problem({{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
                             {"y", tensor_role::out, dtype::f8e4m3, {"M", "N"}, "normal"}},
                            reference);
    p.workloads = {{"w", {{"M", 40}, {"N", 256}}, 1, false}};
    INFO(reference);
    CHECK(b.judge(p, once).state == verdict_state::correct);
    CHECK(b.judge(p, twice).state == verdict_state::incorrect);
  }
}

TEST_CASE("a record says why there is no truth in wider arithmetic", "[torch]") {
  torch_bench b;
  auto p = python_problem(
      {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
       {"y", tensor_role::out, dtype::f32, {"M", "N"}, "normal"}},
      "(x):\n    if x.dtype == torch.float64:\n        raise TypeError('only f32')\n    return x * 2\n");
  auto v = b.judge(p, kernel("(x): return x + x"));
  CHECK(v.state == verdict_state::correct);
  INFO(v.provenance["truth"]);
  CHECK(v.provenance["truth"].find("the reference itself, because in wider arithmetic it fails: ") == 0);
  CHECK(v.provenance["truth"].find("only f32") != std::string::npos);
}
