// What the judge makes of problems in Python before and beside any candidate.
#include "backends/lint.hpp"
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
  CHECK(judged(elsewhere).state ==
        verdict_state::incorrect); // what an inout tensor holds is read through its view
  CHECK(judged(any).state == verdict_state::correct);
  auto said = linted(b, p).warnings;
  CHECK(std::count_if(said.begin(), said.end(), [](const auto& w) {
          return w.find("may be a view that is not contiguous") != std::string::npos;
        }) == 2);
}
