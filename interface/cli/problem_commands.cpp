#include "backends/evaluation/problem_lint.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/foreground.hpp"
#include "interface/cli/named_problem.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/observe/exit_codes.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace ke::cli {
namespace {

struct lint_options {
  std::string problem, backend, sandbox = "best";
  std::vector<std::string> backend_paths;
  bool json = false;
};

void print_tolerances(const lint_report& r) {
  std::cout << "  tolerance of inputs as drawn:\n";
  for (const auto& t : r.tolerances) {
    std::printf("    %-12s %-5s %-12s %-8s", t.tensor.c_str(), t.dtype.c_str(), t.workload.c_str(),
                t.rule.c_str());
    const char* of = t.scale == "tensor" ? "the largest value" : "the value";
    if (t.rule == "scaled")
      std::printf(" max(%.3g of %s, %.3g); sums over about %.0f; the reference is %.3g off", t.relative, of,
                  t.absolute, t.reduction, t.reference_error);
    else if (t.rule != "exact" && t.rule != "bitwise")
      std::printf(" %.3g of %s + %.3g", t.relative, of, t.absolute);
    std::printf("\n");
  }
}

void print_fakes_and_edges(const lint_report& r) {
  std::cout << std::flush << "  wrong answers:\n";
  for (const auto& f : r.fakes)
    std::printf("    %-12s %-15s %-22s %s after %lld case%s\n", f.tensor.c_str(), f.fake.c_str(),
                f.of.c_str(), f.rejected ? "rejected" : "ACCEPTED", static_cast<long long>(f.cases),
                f.cases == 1 ? "" : "s");
  std::printf("  edges (elements of the outputs that are held to the truth):\n");
  for (const auto& e : r.edges) {
    if (!e.survives)
      std::printf("    %-24s not asked: the reference does not survive it\n", e.name.c_str());
    else
      std::printf("    %-24s %lld of %lld\n", e.name.c_str(), static_cast<long long>(e.checked),
                  static_cast<long long>(e.elements));
  }
}

void print_for_people(const problem& what, const lint_report& r) {
  std::cout << what.name << ": " << (r.reasons.empty() ? "fit" : "unfit") << '\n';
  for (const auto& reason : r.reasons)
    std::cout << "  unfit: " << reason << '\n';
  for (const auto& warning : r.warnings)
    std::cout << "  warning: " << warning << '\n';
  if (r.truth.empty())
    return;
  std::cout << "  truth: " << r.truth << (r.deterministic ? "; the reference repeats itself to the bit" : "")
            << '\n';
  print_tolerances(r);
  print_fakes_and_edges(r);
  std::string fixed;
  for (const auto& d : r.still_dims)
    fixed += (fixed.empty() ? "; they leave alone: " : ", ") + d;
  std::printf("  secret shapes: %lld%s\n", static_cast<long long>(r.secret_shapes), fixed.c_str());
  for (const auto& a : r.assumed)
    std::printf("  assumed: %s; [problem.promise] or relations would say it\n", a.c_str());
  for (const auto& c : r.costs)
    std::printf("  cost of %-12s %.3g flops, %.3g bytes (the tensors hold %.3g)\n", c.workload.c_str(),
                c.flops, c.bytes, c.tensor_bytes);
  std::fflush(stdout);
}

int run(const lint_options& o) {
  signal_watch::block();
  auto what = named_problem(o.problem);
  if (!what)
    return exit_usage;
  auto judging = foreground::open(o.sandbox, backend_for(*what, o.backend), o.backend_paths);
  if (!judging)
    return complain(judging.error(), "problem lint");
  auto report = lint_problem(*what, (*judging)->with(), (*judging)->options, (*judging)->processes());
  if ((*judging)->interrupted())
    return complain(interrupted_failure(), "problem lint");
  if (!report)
    return complain(report.error(), "problem lint");
  if (o.json)
    std::cout << lint_json(*what, *report) << '\n';
  else
    print_for_people(*what, *report);
  return report->reasons.empty() ? exit_done : exit_unproven;
}

} // namespace

void add_problem(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<lint_options>();
  auto* family = app.add_subcommand("problem", "Check problem files");
  family->require_subcommand(1);
  family->footer("Example:\n  ke-runtime problem lint config/problems/softmax");
  auto* command = family->add_subcommand(
      "lint", "Would this problem's own check accept zeros, constants, half the work...?");
  command->add_option("PROBLEM", o->problem, "problem.toml, a folder that holds one, or a KernelBench .py")
      ->required();
  command->add_flag("--json", o->json, "Print the findings as one JSON document");
  command->add_option(
      "--backend", o->backend,
      "Backend that builds and runs the reference (default: cpu-cpp; for a reference in Python torch-cpu)");
  command->add_option("--sandbox", o->sandbox, "full | best | none")->capture_default_str();
  command->add_option("--backend-path", o->backend_paths, "Folder with more backends");
  command->footer("Example:\n  ke-runtime problem lint config/problems/softmax --json\n"
                  "Exit code: 0 fit, 1 unfit, 2 the file is wrong, 130 interrupted.");
  command->callback([o, &exit_code] { exit_code = guarded([&] { return run(*o); }); });
}

} // namespace ke::cli
