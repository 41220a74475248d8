// What the judge makes of problems in Python before and beside any candidate.
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/torch_fixture.hpp"

#include <algorithm>
#include <set>

using namespace ke;
using ke_test::candidate;
using ke_test::kernelbench;
using ke_test::torch_bench;

namespace {

lint_report linted(torch_bench& b, const problem& p) {
  auto report = lint_problem(p, b.torch, b.options, b.processes);
  if (!report)
    FAIL(report.error().text);
  return *report;
}

std::set<std::string> edges_of(const lint_report& r) {
  std::set<std::string> names;
  for (const auto& e : r.edges)
    names.insert(e.name);
  return names;
}

/// Of a source that `kernelbench` or `candidate` made: forward takes more than x.
std::string taking(std::string source, const std::string& more) {
  const std::string only = "def forward(self, x)";
  return source.replace(source.find(only), only.size(), "def forward(self, x, " + more + ")");
}

problem with_inputs(const std::string& forward, const std::string& made, const std::string& more) {
  auto p = kernelbench(forward, made);
  p.reference = taking(p.reference, more);
  return p;
}

} // namespace

TEST_CASE("lint tries the same wrong answers on Python problems as on others", "[torch]") {
  torch_bench b;
  auto fit = linted(b, kernelbench("return torch.softmax(x, dim=1)"));
  INFO(lint_json(kernelbench("return x"), fit));
  CHECK(fit.reasons.empty());
  CHECK(fit.deterministic);
  CHECK(fit.truth == "the reference in wider arithmetic");
  std::set<std::string> tried;
  for (const auto& f : fit.fakes) {
    CHECK(f.rejected);
    tried.insert(f.fake);
  }
  CHECK(tried == std::set<std::string>{"zeros", "constant", "previous", "input_copy", "rotated",
                                       "swapped_rows", "half_outputs", "half_work", "sampled_half",
                                       "half_precision", "quarter_work", "dropped_tail", "dropped_class",
                                       "no_negatives"});
  CHECK(edges_of(fit).count("nan") == 1);
  REQUIRE(fit.tolerances.size() == 1);
  CHECK(fit.tolerances[0].reduction == Approx(250).margin(10));

  auto zeros =
      linted(b, kernelbench("y = x.amax(1, keepdim=True)\n        return y - y.mean(1, keepdim=True)"));
  REQUIRE_FALSE(zeros.reasons.empty());
  CHECK(zeros.reasons[0].find("accepts zeros") != std::string::npos);
  auto random = linted(b, kernelbench("return F.dropout(x, 0.5, True)"));
  REQUIRE_FALSE(random.reasons.empty());
  CHECK(random.reasons[0].find("draws random numbers") != std::string::npos);
  // Whole numbers are of one kind, so nothing else is drawn; an answer that none of them changes is seen beside a
  // second draw.
  const std::string numbers = "torch.randint(0, 50, (8, 250))";
  auto deaf = linted(b, kernelbench("return torch.zeros_like(x).float() + torch.arange(250)", numbers));
  REQUIRE_FALSE(deaf.reasons.empty());
  CHECK(deaf.reasons[0].find("accepts the outputs of another input") != std::string::npos);
  CHECK(linted(b, kernelbench("return torch.softmax(x * 0.1, dim=1)", numbers)).reasons.empty());
  auto broken = linted(b, kernelbench("return x.no_such_method()"));
  REQUIRE_FALSE(broken.reasons.empty());
  CHECK(broken.reasons[0].find("bench.py:10") != std::string::npos);
}

TEST_CASE("lint of an operator function in Python has secret shapes and its costs", "[torch]") {
  torch_bench b;
  problem p;
  p.name = "rows";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"M", "N"}, "normal"}};
  p.workloads = {{"wide", {{"M", 24}, {"N", 160}}, 1.0, false}};
  p.bytes = "8*M*N";
  p.reference_language = "python";
  p.reference = "import torch\ndef reference(x):\n    return torch.softmax(x, 1)\n";
  auto said = linted(b, p);
  CHECK(said.reasons.empty());
  CHECK(said.secret_shapes > 0);
  CHECK(said.costs.size() == 1);
  p.tolerances["f32"] = {0, 1e9};
  CHECK_FALSE(linted(b, p).reasons.empty());
  p.reference_language = "c++";
  auto refused = lint_problem(p, b.torch, b.options, b.processes);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("--backend") != std::string::npos);
}

TEST_CASE("inputs with a structure keep it, so that who relies on it is right", "[torch]") {
  torch_bench b;
  auto is = [&](const problem& p, const std::string& body) {
    auto v = b.judge(p, candidate(body));
    INFO(body << "\n" << verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  };
  is(kernelbench("return torch.matmul(x, x)", "torch.tril(torch.randn(48, 48))"),
     "out = torch.zeros_like(x)\nout[:24, :24] = x[:24, :24] @ x[:24, :24]\n"
     "out[24:, :] = x[24:, :] @ x\nreturn torch.tril(out)");
  is(kernelbench("return torch.matmul(x, x)", "(lambda a: a + a.t())(torch.randn(48, 48))"),
     "return x.t().contiguous() @ x.t()");
  is(kernelbench("return torch.tanh(x) * 3", "torch.randint(0, 2, (16, 64)).float() * 2 - 1"),
     "return torch.where(x > 0, 3 * 0.7615941559557649, -3 * 0.7615941559557649)");
}

TEST_CASE("a KernelBench problem has the edges of others where its inputs may be anything", "[torch]") {
  torch_bench b;
  auto normal = kernelbench("return torch.softmax(x, dim=1)"),
       positive = kernelbench("return torch.softmax(x, dim=1)", "torch.rand(8, 250)");
  std::string naive = candidate("e = torch.exp(x)\nreturn e / e.sum(dim=1, keepdim=True)");
  auto v = b.judge(normal, naive);
  INFO(verdict_json(v));
  REQUIRE(v.state == verdict_state::incorrect);
  CHECK(v.first_failure->distribution == "wide");
  CHECK(b.judge(positive, naive).state == verdict_state::incorrect); // small and positive in every draw alone
  CHECK(edges_of(linted(b, positive)).count("wide") == 1);
  // What has no answer for others keeps to the file.
  auto root = kernelbench("return torch.sqrt(x) + torch.log1p(x)", "torch.rand(8, 250) + 0.01");
  v = b.judge(root, candidate("return torch.exp(0.5 * torch.log(x)) + torch.log1p(x)"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("not_varied").find("both signs") != std::string::npos);
  CHECK(edges_of(linted(b, root)).empty());
}

TEST_CASE("parts of a whole and values that are few keep to what the file draws", "[torch]") {
  torch_bench b;
  for (const auto* made : {"torch.rand(8, 250).softmax(1)", "torch.randint(0, 3, (8, 250)).float()"})
    CHECK(edges_of(linted(b, kernelbench("return torch.tanh(x) * 3", made))).empty());
}

TEST_CASE("parameters that a constructor fills with one number have other numbers", "[torch]") {
  torch_bench b;
  auto p = kernelbench("return self.act(self.norm(x))", "torch.randn(8, 96)",
                       "self.norm = nn.LayerNorm(96); self.act = nn.PReLU()");
  auto is = [&](const problem& of, verdict_state state, const std::string& body, const std::string& init) {
    auto v = b.judge(of, candidate(body, "", init));
    INFO(init << "\n" << body << "\n" << verdict_json(v));
    CHECK(v.state == state);
    return v;
  };
  is(p, verdict_state::correct,
     "y = F.layer_norm(x, (96,), self.w, self.b)\nreturn torch.where(y > 0, y, self.a * y)",
     "self.w = nn.Parameter(torch.ones(96)); self.b = nn.Parameter(torch.zeros(96)); "
     "self.a = nn.Parameter(torch.full((1,), 0.25))");
  is(p, verdict_state::correct, "return torch.prelu(self.n(x), self.a)", // another order, and a copy
     "self.p = nn.PReLU(); self.n = nn.LayerNorm(96); self.a = nn.Parameter(self.p.weight.detach().clone())");
  is(p, verdict_state::incorrect, "return self.p(F.layer_norm(x, (96,)))", "self.p = nn.PReLU()");
  is(p, verdict_state::incorrect, "return F.leaky_relu(self.n(x), 0.25)", "self.n = nn.LayerNorm(96)");
  // What is not learned is a constant of the operator.
  auto box = kernelbench("return F.conv1d(x[:, None], self.w)", "torch.randn(8, 96)",
                         "self.w = nn.Parameter(torch.ones(1, 1, 4) / 4, requires_grad=False)");
  is(box, verdict_state::correct, "return F.conv1d(x[:, None], torch.full((1, 1, 4), 0.25))", "pass");
  // A reference that does not survive it says so, and is judged as its constructor makes it.
  auto fragile = kernelbench("return torch.log(3 - self.w) * x if (self.w == 1).all() else x / 0",
                             "torch.randn(8, 96)", "self.w = nn.Parameter(torch.ones(96))");
  auto v = is(fragile, verdict_state::correct, "return torch.log(3 - self.w) * x",
              "self.w = nn.Parameter(torch.ones(96))");
  CHECK(v.provenance.at("not_varied").find("parameters") != std::string::npos);
}

TEST_CASE("what get_inputs() gives alike in each draw is another in some of the checks", "[torch]") {
  torch_bench b;
  struct {
    std::string more, made, reference, right, wrong; // right and wrong: the candidates' forward
  } cases[] = {
      {"g, o", "torch.randn(8, 96), torch.ones(96), torch.zeros(96)", "return torch.tanh(x) * g + o",
       "return torch.addcmul(o, torch.tanh(x), g)", "return torch.tanh(x)"},
      {"s", "torch.randn(8, 96), 1.0", "return torch.tanh(x * s)", "return torch.tanh(s * x)",
       "return torch.tanh(x)"},
      {"at", "torch.randn(8, 96), torch.arange(8)", "return torch.tanh(x[at])",
       "return torch.tanh(torch.index_select(x, 0, at))", "return torch.tanh(x)"},
      {"n", "torch.randn(8, 96), torch.full((8,), 96)",
       "return torch.tanh(x * (torch.arange(96)[None, :] < n[:, None]))",
       "return torch.tanh(torch.where(torch.arange(96)[None, :] < n[:, None], x, 0))",
       "return torch.tanh(x)"},
      {"ends", "torch.randn(96, 8), torch.tensor([0, 10, 40, 96])",
       "return torch.stack([x[a:b].mean(0) for a, b in zip(ends[:-1], ends[1:])])",
       "return torch.stack([x[a:b].sum(0) / (b - a) for a, b in zip(ends.tolist()[:-1], ends.tolist()[1:])])",
       "return torch.stack([x[:10].mean(0), x[10:40].mean(0), x[40:].mean(0)])"},
  };
  for (const auto& c : cases) {
    auto p = with_inputs(c.reference, c.made, c.more);
    for (bool right :
         {true, true, true, false}) { // offsets that rise were once changed one at a time, by luck
      auto v = b.judge(p, taking(candidate(right ? c.right : c.wrong), c.more));
      INFO(c.reference << "\n" << (right ? c.right : c.wrong) << "\n" << verdict_json(v));
      CHECK(v.state == (right ? verdict_state::correct : verdict_state::incorrect));
    }
  }
  // Weights that add up to one are parts of a whole, and what a reference does not survive stays.
  auto mean = with_inputs("return (x * w).sum(1)", "torch.randn(8, 64), torch.full((64,), 1 / 64)", "w");
  CHECK(b.judge(mean, taking(candidate("return x.mean(1)"), "w")).state == verdict_state::correct);
  auto fixed = with_inputs("return x / (g == 1).all()", "torch.randn(8, 64), torch.ones(64)", "g");
  auto v = b.judge(fixed, taking(candidate("return x.clone()"), "g"));
  INFO(verdict_json(v));
  CHECK(v.provenance.at("not_varied").find("those of each draw") != std::string::npos);
}

TEST_CASE("a parameter that is the identity in each model is none in the checks", "[torch]") {
  torch_bench b;
  const std::string filled = "self.l = nn.Linear(96, 96); nn.init.eye_(self.l.weight)";
  for (const std::string init :
       {"self.l = nn.Linear(96, 96); self.l.weight = nn.Parameter(torch.eye(96))",
        "self.l = nn.Linear(96, 96); self.l.weight.data.copy_(torch.eye(96))", filled.c_str()}) {
    auto p = kernelbench("return torch.tanh(self.l(x))", "torch.randn(8, 96)", init);
    INFO(init);
    CHECK(b.judge(p, candidate("return torch.tanh(F.linear(x, self.l.weight) + self.l.bias)", "", filled))
              .state == verdict_state::correct);
    CHECK(b.judge(p, candidate("return torch.tanh(x + self.l.bias)", "", filled)).state ==
          verdict_state::incorrect);
  }
}

TEST_CASE("running means are what training leaves there, not what a constructor makes", "[torch]") {
  torch_bench b;
  // Most of the results are zeros, which once hid from the trial how large they are.
  auto p = kernelbench("return torch.relu(self.n(x) - 0.5)", "torch.randn(8, 96)",
                       "self.n = nn.BatchNorm1d(96).eval()");
  auto judged = [&](const std::string& body, const std::string& init) {
    auto v = b.judge(p, candidate(body, "", init));
    INFO(init << "\n" << body << "\n" << verdict_json(v));
    return v.state;
  };
  const std::string norm = "self.n = nn.BatchNorm1d(96).eval()";
  CHECK(judged("return F.relu(x * self.k + self.b)",
               norm + "; self.k = (self.n.weight / (self.n.running_var + 1e-5).sqrt()).detach(); self.b = "
                      "(self.n.bias "
                      "- self.n.running_mean * self.k - 0.5).detach()") == verdict_state::correct);
  CHECK(judged(
            "return F.relu(F.batch_norm(x, self.m, self.v, self.w, self.b) - 0.5)",
            "self.register_buffer('m', torch.zeros(96)); self.register_buffer('v', torch.ones(96)); self.w = "
            "nn.Parameter(torch.ones(96)); self.b = nn.Parameter(torch.zeros(96))") ==
        verdict_state::correct);
  CHECK(judged("return F.relu(x * (self.n.weight / (1 + 1e-5) ** 0.5) + self.n.bias - 0.5)", norm) ==
        verdict_state::incorrect);
  // A buffer that no training changes is the operator's constant.
  auto box = kernelbench("return F.conv1d(x[:, None], self.k)", "torch.randn(8, 96)",
                         "self.register_buffer('k', torch.ones(1, 1, 4))");
  CHECK(b.judge(box, candidate("return F.conv1d(x[:, None], torch.ones(1, 1, 4))")).state ==
        verdict_state::correct);
}

TEST_CASE("a Python function that only changes its tensors may return nothing", "[torch]") {
  torch_bench b;
  problem p;
  p.name = "adds";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"z", tensor_role::inout, dtype::f32, {"N"}, "zeros"}};
  p.workloads = {{"some", {{"N", 960}}, 1.0, false}};
  p.reference_language = "python";
  p.reference = "import torch\ndef reference(x, z):\n    z.add_(torch.tanh(x))\n";
  for (const std::string end : {"", "    return None\n", "    return ()\n"}) {
    auto v = b.judge(p, "import torch\ndef kernel(x, z):\n    z += torch.tanh(x)\n" + end);
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
  CHECK(b.judge(p, "import torch\ndef kernel(x, z):\n    return z + torch.tanh(x)\n").state !=
        verdict_state::correct);
}

TEST_CASE("who waits for some calls or moved inputs hands nothing over unseen", "[torch]") {
  torch_bench b;
  auto p = kernelbench("e = torch.exp(x - x.amax(1, keepdim=True)); return e / e.sum(1, keepdim=True)",
                       "torch.randn(64, 4000)");
  const std::string
      parts = "    e = torch.exp(x - x.amax(1, keepdim=True))\n    return e / e.sum(1, keepdim=True)\n",
      fused = "return torch.softmax(x, 1)";
  CHECK(b.judge(p, candidate("self.n += 1\nif self.n < 20:\n" + parts + fused, "", "self.n = 0")).state ==
        verdict_state::policy_violation);
  CHECK(b.judge(p, candidate("self.n += 1\nif self.n % 2 < 3:\n" + parts + fused, "", "self.n = 0")).state ==
        verdict_state::correct);
}

TEST_CASE("a convolution of oneDNN's is the library's under any name", "[torch]") {
  torch_bench b;
  auto p = kernelbench(
      "return (F.unfold(x, 3).transpose(1, 2) @ self.w.t()).transpose(1, 2).reshape(2, 16, 30, 30)",
      "torch.randn(2, 8, 32, 32)", "self.w = nn.Parameter(torch.randn(16, 72))");
  const std::string init =
      "self.w = nn.Parameter(torch.randn(16, 72)); self.p = "
      "torch.ops.mkldnn_prepacked.conv2d_prepack(self.w.detach().view(16, 8, 3, 3).contiguous(), "
      "None, [1, 1], [0, 0], [1, 1], 1, [2, 8, 32, 32], 'none')";
  for (const std::string body : {"return torch.ops.mkldnn._convolution_pointwise(x, self.w.view(16, 8, 3, "
                                 "3), None, [0, 0], [1, 1], [1, 1], 1, "
                                 "'none', [], '').contiguous()",
                                 "return torch.ops.mkldnn_prepacked.conv2d_run(x, self.p).contiguous()"}) {
    auto v = b.judge(p, candidate(body, "", init));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::policy_violation);
  }
  CHECK(b.judge(p, candidate("return (self.w @ F.unfold(x, 3)).view(2, 16, 30, 30)", "", init)).state ==
        verdict_state::correct);
}

TEST_CASE("inputs whose strides may be any are views in some of the checks", "[torch]") {
  torch_bench b;
  problem p;
  p.name = "views";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"z", tensor_role::inout, dtype::f32, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"wide", {{"M", 24}, {"N", 160}}, 1.0, false}};
  p.reference_language = "python";
  p.reference = "import torch\ndef reference(x, z):\n    z.add_(x)\n    return torch.tanh(x).sum(0)\n";
  auto judged = [&](const std::string& body) {
    auto v = b.judge(p, "import torch\ndef kernel(x, z):\n" + body);
    INFO(body << "\n" << verdict_json(v));
    return v;
  };
  const std::string
      flat = "    z += x\n    return torch.tanh(x.view(-1)).view(x.shape).sum(0)\n",
      as_if = "    z += x\n    return torch.tanh(x.as_strided(x.shape, (x.shape[1], 1))).sum(0)\n",
      any = "    z += x\n    return torch.tanh(x).t().contiguous().sum(1)\n",
      elsewhere = "    z.as_strided(z.shape, (z.shape[1], 1)).add_(x)\n    return torch.tanh(x).sum(0)\n";
  for (const auto& body : {flat, as_if, any, elsewhere})
    CHECK(judged(body).state == verdict_state::correct);
  p.tensors[0].any_strides = p.tensors[1].any_strides = true;
  auto v = judged(flat);
  CHECK(v.state == verdict_state::crashed);
  CHECK(v.reason.find("views that are not contiguous") != std::string::npos);
  v = judged(as_if);
  CHECK(v.state == verdict_state::incorrect);
  REQUIRE(v.first_failure);
  CHECK(v.first_failure->distribution == "strided");
  // What an inout tensor holds is read through its view.
  CHECK(judged(elsewhere).state == verdict_state::incorrect);
  CHECK(judged(any).state == verdict_state::correct);
  auto said = linted(b, p).warnings;
  CHECK(std::count_if(said.begin(), said.end(), [](const auto& w) {
          return w.find("may be a view that is not contiguous") != std::string::npos;
        }) == 2);
}
