#include "backends/evaluation/problem_lint.hpp"
#include "backends/judge/fake_answers.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace ke;

namespace {

/// y from x, both f32 [M, N], by the statements of a loop over `i` (all elements) or a body of its own.
problem from_x(const std::string& body, double rtol, double atol) {
  problem p;
  p.name = "unfit";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"M", "N"}, "normal"}};
  p.workloads = {{"a", {{"M", 24}, {"N", 36}}, 1, false}};
  if (rtol > 0 || atol > 0)
    p.tolerances["f32"] = {rtol, atol};
  p.reference_language = "c++";
  p.reference =
      "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t m, int64_t n) {\n"
      "  for (int64_t i = 0; i < m * n; ++i) " +
      body + "\n}\n";
  return p;
}

problem row_means(const char* init, double rtol) {
  auto p = from_x(";", rtol, 0);
  p.tensors[0].init = init;
  p.tensors[1].shape = {"M"};
  p.workloads = {{"a", {{"M", 8}, {"N", 4000}}, 1, false}};
  p.reference =
      "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t m, int64_t n) {\n"
      "  for (int64_t i = 0; i < m; ++i) {\n    float s = 0;\n"
      "    for (int64_t j = 0; j < n; ++j) s += 1 + x[i * n + j];\n    y[i] = s / n;\n  }\n}\n";
  return p;
}

lint_report linted(const problem& p) {
  ke_test::checker c;
  c.options.cache.clear();
  auto report = lint_problem(p, c.cpu, c.options, c.processes);
  if (!report)
    FAIL(report.error().text);
  return *report;
}

/// One case of a problem with an input and an output of four numbers each.
struct small_case {
  problem p;
  bound_shapes shapes;
  bank_slot slot;
  std::vector<std::string> reference;

  small_case(const std::vector<float>& in, const std::vector<float>& out, double atol) {
    p.tensors = {{"x", tensor_role::in, dtype::f32, {"2", "2"}, "normal"},
                 {"y", tensor_role::out, dtype::f32, {"2", "2"}, "normal"}};
    p.tolerances["f32"] = {0, atol};
    shapes.shapes = {{2, 2}, {2, 2}};
    shapes.elements = {4, 4};
    slot.inputs = {bytes(in), ""};
    slot.outputs.resize(2);
    slot.outputs[1] = expect(dtype::f32, out.data(), false, 4, rule_for(p, dtype::f32, false));
    reference = {"", bytes(out)};
  }
  static std::string bytes(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
  }
};

std::set<std::string> accepted(const admission& a) {
  std::set<std::string> names;
  for (const auto& r : a.results())
    if (!r.rejected)
      names.insert(std::string{to_text(r.fake)});
  return names;
}

} // namespace

TEST_CASE("a fake that is the right answer is not held against the problem") {
  small_case identity{{1, 2, 3, 4}, {1, 2, 3, 4}, 1e-6};
  admission a{identity.p};
  a.add(identity.slot, identity.shapes, identity.reference);
  CHECK(a.reasons().empty());
  small_case equal{
      {1, 2, 3, 4}, {5, 5, 5, 5}, 1e-6}; // moving or exchanging what is all the same changes nothing
  admission b{equal.p};
  b.add(equal.slot, equal.shapes, equal.reference);
  CHECK(b.reasons().empty());
}

TEST_CASE("a loose check accepts what it should not, and each such answer is named") {
  small_case loose{{1, 2, 3, 4}, {1.001f, 2.001f, 3.001f, 4.001f}, 0.5};
  admission a{loose.p};
  a.add(loose.slot, loose.shapes, loose.reference);
  CHECK(accepted(a) == std::set<std::string>{"input_copy"});
  REQUIRE(a.reasons().size() == 1);
  CHECK(a.reasons()[0].find("a copy of an input, x, as its output y") != std::string::npos);
  small_case rows{{9, 9, 9, 9}, {1, 2, 1.1f, 2.1f}, 0.2};
  admission b{rows.p};
  b.add(rows.slot, rows.shapes, rows.reference);
  CHECK(accepted(b) == std::set<std::string>{"swapped_rows"});
}

TEST_CASE("one input's rejected copy does not speak for another input") {
  small_case two{{1, 2, 3, 4}, {1, 2, 3, 4.1f}, 0.5};
  two.p.tensors.insert(two.p.tensors.begin(), {"w", tensor_role::in, dtype::f32, {"2", "2"}, "normal"});
  two.shapes.shapes.insert(two.shapes.shapes.begin(), {2, 2});
  two.shapes.elements.push_back(4);
  two.slot.inputs.insert(two.slot.inputs.begin(), small_case::bytes({7, 7, 7, 7}));
  two.slot.outputs.insert(two.slot.outputs.begin(), expectation{});
  two.reference.insert(two.reference.begin(), "");
  admission a{two.p};
  a.add(two.slot, two.shapes, two.reference);
  REQUIRE(a.reasons().size() == 1);
  CHECK(a.reasons()[0].find("an input, x,") != std::string::npos);
}

TEST_CASE("half of an input is spoiled along each axis") {
  small_case c{{1.0001f, 2, 3, 4}, {9, 8, 7, 6}, 1e-6};
  admission a{c.p};
  auto spoiled = a.spoil(c.slot, c.shapes);
  REQUIRE(spoiled.size() == 4);
  auto input = [&](const char* fake, const char* of) {
    for (const auto& s : spoiled)
      if (to_text(s.fake) == fake && s.of == of)
        return s.slot.inputs[0];
    return std::string{};
  };
  CHECK(input("half_work", "x along axis 0") == small_case::bytes({1.0001f, 2, 0, 0}));
  CHECK(input("half_work", "x along axis 1") == small_case::bytes({1.0001f, 0, 3, 0}));
  CHECK(input("sampled_half", "x along axis 0") == small_case::bytes({1.0001f, 2, 1.0001f, 2}));
  CHECK(input("sampled_half", "x along axis 1") == small_case::bytes({1.0001f, 1.0001f, 3, 3}));
  for (const auto& s : spoiled)
    a.add_spoiled(s, c.slot, c.reference, {"", small_case::bytes({0, 0, 0, 0})});
  CHECK(a.reasons().empty());
  CHECK(a.spoil(c.slot, c.shapes).empty());
}

TEST_CASE("as little is left out as a kernel gains by, and only what still passes is tried again") {
  small_case c{{}, {1, 2, 3, 4}, 1e-6};
  c.p.tensors[0].shape = {"64"};
  c.shapes.shapes[0] = {64};
  c.shapes.elements[0] = 64;
  std::vector<float> in(64, -1.0001f), tail = in, without_class = in, positive(64, 0);
  in[0] = tail[0] = without_class[0] = positive[0] = 2;
  tail[62] = tail[63] = without_class[20] = without_class[52] = 0;
  c.slot.inputs[0] = small_case::bytes(in);
  std::vector<float> near{1, 2, 3, 4.0000005f};
  admission a{c.p, "long"};
  auto left_out = a.leave_out(c.slot, c.shapes);
  REQUIRE(left_out.size() == 4);
  CHECK(left_out[0].fake == fake_answer::half_precision);
  CHECK(left_out[1].fake == fake_answer::dropped_class);
  CHECK(left_out[1].slot.inputs[0] == small_case::bytes(without_class));
  CHECK(left_out[2].fake == fake_answer::dropped_tail);
  CHECK(left_out[2].slot.inputs[0] == small_case::bytes(tail));
  CHECK(left_out[3].fake == fake_answer::no_negatives);
  CHECK(left_out[3].slot.inputs[0] == small_case::bytes(positive));
  for (const auto& how : left_out)
    a.add_spoiled(
        how, c.slot, c.reference,
        {"", small_case::bytes(how.fake == fake_answer::dropped_tail ? near : std::vector<float>(4))});
  REQUIRE(a.reasons().size() == 1);
  CHECK(a.reasons()[0].find("a sum without its tail") != std::string::npos);
  CHECK(a.reasons()[0].find("on workload long") != std::string::npos);
  auto again = a.leave_out(c.slot, c.shapes);
  REQUIRE(again.size() == 1);
  CHECK(again[0].fake == fake_answer::dropped_tail);
}

TEST_CASE("problems whose own check is worthless are unfit, and the reason is named") {
  struct row {
    const char* name;
    problem p;
    const char* said;
  };
  auto barely = from_x("y[i] = x[i] + 1e-5f * w[i];", 0, 1e-2);
  barely.tensors.insert(barely.tensors.begin() + 1, {"w", tensor_role::in, dtype::f32, {"M", "N"}, "normal"});
  barely.reference.replace(barely.reference.find("float* x, "), 10, "float* x, const float* w, ");
  auto flags = from_x("y[i] = x[i] > 1e9f;", 0, 0);
  flags.tensors[1].dtype = dtype::boolean;
  flags.reference.replace(flags.reference.find("float* y"), 8, "uint8_t* y");
  auto means = row_means("uniform", 0.05);
  means.tensors[0].promised = true; // or checks draw both signs, which tell one half from the other
  const row rows[] = {
      {"nothing comes out", from_x("y[i] = 0;", 0, 0), "accepts zeros"},
      {"an atol above all values", from_x("y[i] = x[i] * x[i];", 0, 1e4), "accepts zeros"},
      {"nearly one value", from_x("y[i] = 1000 + x[i];", 0.2, 0), "the mean of the right outputs"},
      {"nearly the input", from_x("y[i] = x[i] * 1.000001f;", 1e-5, 0), "a copy of an input, x"},
      {"no input counts", from_x("y[i] = i;", 0, 0), "the outputs of another input"},
      {"the mean of many", means, "an input's first half taken for both"},
      {"half precision", from_x("y[i] = 3 * x[i] * x[i];", 1e-2, 0), "arithmetic in half the width"},
      {"order does not count", from_x("y[i] = i + 1000000 + x[0];", 1e-3, 0), "moved by one place"},
      {"one input hardly counts", barely, "w along axis"},
      {"a flag that is never set", flags, "accepts zeros"},
      {"a reference that crashes", from_x("__builtin_trap();", 0, 0), "fails on its own workload a"},
      {"a reference that differs from itself", from_x("y[i] = x[i] + __builtin_ia32_rdtsc() % 16;", 0, 1e-3),
       "two answers to one input"},
      {"a reference that does not compile", from_x("y[i] = x;", 0, 0), "does not compile"},
  };
  for (const auto& r : rows) {
#if !defined(__x86_64__)
    if (r.p.reference.find("ia32") != std::string::npos)
      continue;
#endif
    auto report = linted(r.p);
    std::string said;
    for (const auto& why : report.reasons)
      said += "\n  " + why;
    INFO(r.name << said);
    CHECK(std::any_of(report.reasons.begin(), report.reasons.end(),
                      [&](const std::string& why) { return why.find(r.said) != std::string::npos; }));
  }
}

TEST_CASE("lint asks nothing more once the reference has failed on a workload of its own") {
  auto p = from_x("y[i] = m > 24 ? *static_cast<volatile float*>(nullptr) : 3 * x[i];", 0, 0);
  p.workloads.push_back({"b", {{"M", 48}, {"N", 36}}, 1, false});
  p.workloads.push_back({"c", {{"M", 96}, {"N", 36}}, 1, false});
  auto report = linted(p);
  REQUIRE(report.reasons.size() == 1);
  CHECK(report.reasons[0].find("the reference fails on its own workload b: ") == 0);
  // It was asked everything about workload a, and then about b a second time.
  CHECK(report.tolerances.empty());
  CHECK(report.edges.empty());
}

TEST_CASE("a reference that dies of a spoiled input is started anew wherever it is asked") {
  // No row of normal numbers begins or ends with zero, but one whose half or tail is left out does.
  auto p = from_x("y[i] = x[i] == 0 && (i % n == 0 || i % n == n - 1) ? "
                  "*static_cast<volatile float*>(nullptr) : 3 * x[i];",
                  0, 0);
  auto report = linted(p);
  INFO(lint_json(p, report));
  CHECK(report.reasons.empty());
  REQUIRE(report.tolerances.size() == 1);
  CHECK(std::any_of(report.edges.begin(), report.edges.end(), [](const lint_edge& e) { return e.survives; }));
  ke_test::checker c;
  auto v = c.judge(p, from_x("y[i] = x[i] + x[i] + x[i];", 0, 0).reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
}

TEST_CASE("a backward pass is a problem like any other: fit, with its sums' lengths and edges known") {
  auto load = load_problem(std::string{ke::test::source_dir()} + "/config/problems/rmsnorm_backward");
  REQUIRE(load.errors.empty());
  auto report = linted(load.problem);
  INFO(lint_json(load.problem, report));
  CHECK(report.reasons.empty());
  CHECK(report.deterministic);
  CHECK(report.secret_shapes >= 5);
  CHECK(report.truth == "the reference in wider arithmetic");
  for (const auto& f : report.fakes)
    CHECK(f.rejected);
  for (const auto& t : report.tolerances) {
    CHECK(t.rule == "scaled");
    if (t.workload == "wide") // dx depends on a row; dgamma on a column, and on every row by its scale
      CHECK(t.reduction == Approx(t.tensor == "dx" ? 1024 : 32 * 1024).epsilon(0.1));
  }
  for (const auto& e : report.edges)
    if (e.name == "wide" || e.name == "signed_zero" || e.name == "nan") {
      INFO(e.name);
      CHECK(e.survives);
      CHECK(e.checked > e.elements / 2);
    }
  CHECK(std::any_of(report.edges.begin(), report.edges.end(),
                    [](const lint_edge& e) { return e.name == "M = 0"; }));
}

TEST_CASE("formulas of the cost are held against what the tensors hold") {
  auto p = from_x("y[i] = x[i];", 0, 0);
  p.flops = "M*N";
  p.bytes = "8*M*N";
  lint_report fine;
  lint_costs(p, fine);
  CHECK(fine.warnings.empty());
  REQUIRE(fine.costs.size() == 1);
  CHECK(fine.costs[0].bytes == fine.costs[0].tensor_bytes);
  p.bytes = "16*M*N";
  lint_report more;
  lint_costs(p, more);
  REQUIRE(more.warnings.size() == 1);
  CHECK(more.warnings[0].find("more than the tensors") != std::string::npos);
  p.bytes = "M - N";
  lint_report wrong;
  lint_costs(p, wrong);
  CHECK(wrong.reasons.size() == 1);
}
