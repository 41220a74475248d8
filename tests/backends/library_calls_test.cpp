// Who hands the operator to one call of PyTorch, and who only makes use of its parts.
#include "backends/judge/library_calls.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/torch_fixture.hpp"

using namespace ke;
using ke_test::candidate;
using ke_test::kernelbench;
using ke_test::torch_bench;

namespace {

const library_operators known =
    operators_of("aten::mm\naten::exp element\naten::softmax softmax\naten::_softmax softmax\n"
                 "aten::layer_norm norm\naten::silu activation element\naten::attention attention softmax\n");

problem written_out() {
  return kernelbench("e = torch.exp(x - x.amax(1, keepdim=True)); return e / e.sum(1, keepdim=True)",
                     "torch.randn(256, 4000)");
}

} // namespace

TEST_CASE("fused calls are those that the reference does not make in any form") {
  auto of = [](const std::string& candidate, const std::string& reference) {
    return fused_calls(candidate, reference, known);
  };
  std::string calls = "total 100 9\ncalled 200\nby 80 aten::softmax -\nby 78 aten::_softmax aten::softmax\n";
  auto found = of(calls, "total 50\nby 50 aten::exp -\n");
  CHECK(found.names == std::vector<std::string>{"aten::softmax"});
  CHECK(found.of_operators == Approx(0.8)); // once, though one calls the other
  CHECK(found.of_call == Approx(0.4));
  CHECK(found.all());
  CHECK(of(calls, "by 1 aten::_softmax -\n").names.empty());
  CHECK(of(calls, "by 1 aten::attention -\n").names.empty()); // which calls a softmax in turn
  CHECK_FALSE(of("total 100\ncalled 200\nby 40 aten::softmax -\n", "").all());  // a part of it
  CHECK_FALSE(of("total 100\ncalled 2000\nby 90 aten::softmax -\n", "").all()); // beside work of others
  // What works element by element is trimming, unless the fused operator itself is no more than that.
  auto trimmed = of("total 100\ncalled 200\nby 60 aten::exp -\nby 40 aten::softmax -\n", "");
  CHECK(trimmed.of_operators == Approx(1));
  CHECK_FALSE(trimmed.all()); // a fifth of the call
  CHECK(of("total 100\ncalled 120\nby 60 aten::exp -\nby 40 aten::softmax -\n", "").all());
  CHECK_FALSE(of("total 100\ncalled 120\nby 60 aten::exp -\nby 40 aten::silu -\n", "").all());
  CHECK(of("total 100\ncalled 120\nby 30 aten::exp -\nby 70 aten::silu_ -\n", "")
            .names.empty()); // unknown name
  CHECK(of("total 100\ncalled 120\nby 30 aten::exp -\nby 70 aten::silu -\n", "").all());
  CHECK_FALSE(of("total 0\ncalled 120\nby 0 aten::softmax -\n", "").all());
  // A label hides nothing: neither the name of an operator nor one that the reference calls.
  CHECK(of("total 100\ncalled 200\nby 90 aten::mm -\nby 80 aten::softmax aten::mm\n", "").all());
  CHECK(of("total 100\ncalled 200\nby 90 aten::layer_norm -\nby 80 aten::softmax aten::layer_norm\n",
           "by 1 aten::layer_norm -\n")
            .all());
}

TEST_CASE("fused operators inside of a graph count as it was captured, once a call replays it") {
  std::string call = "total 20 2\ncalled 60\nby 8 aten::copy_ -\n";
  std::string graph = "captured 70\nwithin 60 aten::softmax -\nwithin 55 aten::_softmax aten::softmax\n";
  auto found = fused_calls(call + graph, "by 50 aten::exp -\n", known);
  CHECK(found.names == std::vector<std::string>{"aten::softmax"});
  CHECK(found.of_operators == Approx(60.0 / 80));
  CHECK(found.of_call == Approx(60.0 / 130));
  CHECK(found.all());
  CHECK(fused_calls(call + graph, "by 1 aten::softmax -\n", known).names.empty());
  // A small part of a graph whose rest is the candidate's own launches.
  CHECK_FALSE(fused_calls(call + "captured 700\nwithin 60 aten::softmax -\n", "", known).all());
  CHECK(fused_calls(call + "captured nan\nwithin -1 aten::exp -\n", "", known).names.empty());
}

TEST_CASE("what a profile says of fused calls is taken with care") {
  CHECK_FALSE(fused_calls("", "", known).all());
  CHECK_FALSE(fused_calls("by 80 aten::softmax -\n", "", known).all()); // no total, no call
  CHECK_FALSE(
      fused_calls("total nan\ncalled -1\nby inf aten::softmax -\nby -5 aten::softmax -\n", "", known).all());
  CHECK(fused_calls("total 10\ncalled 10\nby 9 other -\n", "", known).names.empty());
}

TEST_CASE("an operator that is handed to PyTorch's fused one is a policy violation", "[torch]") {
  torch_bench b;
  auto p = written_out();
  for (const auto& source :
       {candidate("return torch.softmax(x, 1)"), candidate("return F.softmax(x + 0.0, 1)"),
        candidate("return getattr(torch.ops.aten, '_soft' + 'max')(x, 1, False)"),
        candidate("return self.f(x)",
                  "@torch.jit.script\ndef f(x: torch.Tensor) -> torch.Tensor:\n"
                  "    return torch.softmax(x, dim=1)",
                  "self.f = f"),
        candidate(
            "out = []\nt = threading.Thread(target=lambda: out.append(torch.softmax(x, 1)))\nt.start()\n"
            "t.join()\nreturn out[0]",
            "import threading")}) {
    auto v = b.judge(p, source);
    INFO(source << "\n" << verdict_json(v));
    CHECK(v.state == verdict_state::policy_violation);
    CHECK(v.reason.find("softmax, which the reference does not call") != std::string::npos);
  }
  p.policy.vendor_libraries = true;
  auto v = b.judge(p, candidate("return torch.softmax(x, 1)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
}

TEST_CASE("parts of PyTorch and the operators that the reference calls are a candidate's to use", "[torch]") {
  torch_bench b;
  auto is = [&](const problem& p, const std::string& body) {
    auto v = b.judge(p, candidate(body));
    INFO(body << "\n" << verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  };
  is(written_out(),
     "e = torch.sub(x, x.amax(1, keepdim=True)).exp_()\nreturn e.div_(e.sum(1, keepdim=True))");
  is(kernelbench("return torch.softmax(x, 1)", "torch.randn(64, 2000)"), "return F.softmax(x, -1)");
  is(kernelbench("return F.log_softmax(x, 1)", "torch.randn(64, 2000)"),
     "return x - torch.logsumexp(x, 1, keepdim=True)");
  is(kernelbench("return F.instance_norm(x)", "torch.randn(8, 16, 300)"), "return F.layer_norm(x, (300,))");
  is(kernelbench("return (x[:, :, None] * x.t()[None]).sum(1)", "torch.randn(96, 96)"), "return x @ x.t()");
  is(kernelbench("return x * torch.sigmoid(x) + torch.tanh(x) * torch.tanh(x) + torch.sin(x)",
                 "torch.randn(64, 2000)"),
     "t = torch.tanh(x)\nreturn F.silu(x).addcmul_(t, t).add_(torch.sin(x))");
  // A softmax among much other work.
  is(kernelbench("y = torch.tanh(x @ x) @ x; e = torch.exp(y[:8] / 100); return x @ (x @ y).sin() + "
                 "(e / e.sum(1, keepdim=True)).sum()",
                 "torch.randn(384, 384)"),
     "y = torch.tanh(x @ x) @ x\nreturn x @ (x @ y).sin_() + torch.softmax(y[:8] / 100, 1).sum()");
}
