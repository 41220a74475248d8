#include "backends/evaluation/problem_lint.hpp"

#include "backends/evaluation/compiler_crash.hpp"
#include "backends/evaluation/harness.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "backends/evidence/judge_task.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/text/expression.hpp"
#include "runtime/text/json_line.hpp"
#include "runtime/text/tensor_bytes.hpp"

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>

namespace ke {
namespace fs = std::filesystem;
namespace {

struct built {
  fs::path object;
  std::string wrong; ///< why the compiler refused; empty: it did not
};

result<built> build(const problem& what, const backend& with, build_role role, widening truth,
                    const std::string& toolchain, const evaluate_options& options, const fs::path& folder,
                    process_port& processes) {
  auto place = folder / (role == build_role::truth ? "build-truth" : "build-reference");
  build_plan plan;
  process_exit exit;
  for (auto by : {build_compiler::first, build_compiler::second}) {
    plan = plan_build(with, what, what.reference, role, toolchain, options.limits, place, {by, truth});
    auto spec = boxed_build(plan, place, options.sandbox, options.limits);
    if (!spec)
      return spec.error();
    exit = run_and_wait(processes, *std::move(spec));
    if (compiler_crash(exit, options.limits, what).empty() || !has_second_compiler(with, what.reference))
      break;
  }
  if (exit.why.kind != failure_kind::none)
    return exit.why;
  if (exit.cancelled)
    return failure{failure_kind::cancelled, "interrupted"};
  built out{folder / (role == build_role::truth ? "truth.so" : "reference.so"),
            build_failure(exit, options.limits, what)};
  if (out.wrong.empty()) {
    std::error_code error;
    fs::copy_file(place / plan.output, out.object, fs::copy_options::overwrite_existing, error);
    if (error)
      out.wrong = "the compiler ended well but left no object";
    else
      chmod(out.object.c_str(), 0755);
  }
  return out;
}

/// The objects of a reference in C++ into `task`; a reason in the report if it does not compile.
status build_both(judge_task& task, lint_report& report, const backend& with, const std::string& toolchain,
                  const evaluate_options& options, const fs::path& folder, process_port& processes) {
  auto reference =
      build(task.what, with, build_role::reference, widening::none, toolchain, options, folder, processes);
  if (!reference)
    return reference.error();
  if (!reference->wrong.empty()) {
    report.reasons.push_back("the reference does not compile: " + reference->wrong);
    return ok;
  }
  task.reference = reference->object.string();
  if (wants_wider_truth(task.what)) {
    auto form = widest_form(task.what);
    auto in_form = [&] {
      return build(task.what, with, build_role::truth, form, toolchain, options, folder, processes);
    };
    auto truth = in_form();
    if (truth && !truth->wrong.empty() && form == widening::all) {
      form = widening::all_but_carried;
      truth = in_form();
    }
    task.truth_keeps_carried = form != widening::all;
    if (!truth)
      return truth.error();
    if (truth->wrong.empty())
      task.truth = truth->object.string();
    else
      report.warnings.push_back("the reference does not compile in wider arithmetic, so results are held "
                                "against itself: " +
                                truth->wrong);
  }
  return ok;
}

} // namespace

void lint_costs(const problem& what, lint_report& into) {
  for (const auto& w : what.workloads) {
    lint_cost c{w.name, 0, 0, tensor_bytes(what, w)};
    auto value = [&](const std::string& formula, const char* key) {
      if (formula.empty())
        return 0.0;
      auto v = real_value(formula, w.dims);
      if (!v || !(*v >= 0))
        into.reasons.push_back("cost." + std::string{key} + " has no sensible value for workload " + w.name);
      return v ? *v : 0.0;
    };
    c.flops = value(what.flops, "flops");
    c.bytes = value(what.bytes, "bytes");
    if ((!what.bytes.empty() && c.bytes == 0) || (!what.flops.empty() && c.flops == 0 && c.bytes == 0))
      into.warnings.push_back("the cost of workload " + w.name + " is 0: no roofline can be drawn from it");
    if (c.bytes > 1.01 * c.tensor_bytes)
      into.warnings.push_back(
          "cost.bytes says more than the tensors of workload " + w.name +
          " hold: a kernel that moves no more than it must would look faster than physics");
    into.costs.push_back(std::move(c));
  }
  if (what.bytes.empty() && what.flops.empty())
    into.warnings.emplace_back("without [cost] there is no roofline, and nothing is too fast to be true");
}

namespace {

/// Where a problem is linted: its reference runs there.
result<device_info> target_for(const problem& what, const backend& with, process_port& processes) {
  if (!traits_of_driver(with.driver) || what.reference_language != with.reference_language)
    return failure{failure_kind::invalid, "problem " + what.name + " has a reference in " +
                                              what.reference_language + "; backend " + with.name +
                                              " cannot run it: choose another with --backend"};
  auto target = probe_target(with, processes);
  if (target && !executes_on(with, *target))
    return failure{failure_kind::missing,
                   "a problem is linted where its reference runs, and " + target->name + " of backend " +
                       with.name + " is " + device_facts::compiled_not_executed +
                       ": choose another with --backend, or a machine with such a device"};
  return target;
}

std::string toolchain_of(const device_info& target) {
  auto known = target.facts.find(device_facts::toolchain);
  return known == target.facts.end() ? std::string{} : known->second;
}

result<std::shared_ptr<python_parent>> parent_for(const backend& with, const evaluate_options& options,
                                                  const device_info& target) {
  auto parents = options.python ? options.python : std::make_shared<python_parents>();
  return parents->of(with, options.sandbox, parent_device_of(target));
}

result<lint_report> ask_judge(const judge_task& task, const evaluate_options& options,
                              const std::shared_ptr<python_parent>& warm, process_port& processes) {
  auto judge = options.judge.empty() ? beside_this_program("ke-judge") : options.judge;
  process_spec spec;
  spec.argv = {judge.string()};
  spec.env = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C"}};
  if (!task.device.empty())
    spec.env.merge(device_environment());
  spec.directory = task.scratch;
  spec.input = pack(task);
  spec.deadline = std::chrono::nanoseconds{static_cast<std::int64_t>(2 * options.limits.run_s * 1e9)};
  spec.output_limit = 64u << 20;
  if (warm) {
    spec.pass_fds = {{warm->socket(), judge_warm_fd}};
    spec.keeps = warm;
  }
  auto exit = run_and_wait(processes, std::move(spec));
  if (exit.why.kind != failure_kind::none)
    return exit.why;
  if (exit.cancelled)
    return failure{failure_kind::cancelled, "interrupted"};
  if (exit.timed_out) {
    lint_report late;
    late.reasons.emplace_back("the reference does not end in time: its workloads are too large, or it hangs");
    return late;
  }
  auto said = unpack<lint_report>(exit.out);
  if (exit.code != 0 || !said)
    return failure{failure_kind::internal, "ke-judge ended with code " + std::to_string(exit.code) +
                                               ", signal " + std::to_string(exit.signal) + ": " +
                                               exit.err.substr(0, 400)};
  if (!said->broken.empty())
    return failure{failure_kind::device, said->broken};
  return said;
}

} // namespace

result<lint_report> lint_problem(const problem& what, const backend& with, const evaluate_options& options,
                                 process_port& processes) {
  auto target = target_for(what, with, processes);
  if (!target)
    return target.error();
  const auto* driver_kind = traits_of_driver(with.driver);
  auto folder = private_folder::make(options.scratch, "ke-lint-");
  if (!folder)
    return folder.error();
  folder->let_others_read();
  lint_report report;
  judge_task task;
  task.what = what;
  task.driver_kind = with.driver;
  std::shared_ptr<python_parent> warm;
  if (driver_kind->has_warm_parent) {
    auto started = parent_for(with, options, *target);
    if (!started)
      return started.error();
    warm = *std::move(started);
    task.warm_parent = judge_warm_fd;
  }
  if (driver_kind->builds) {
    auto done = build_both(task, report, with, toolchain_of(*target), options, folder->path(), processes);
    if (!done || !report.reasons.empty())
      return done ? result<lint_report>{report} : done.error();
  }
  task.driver =
      fs::absolute(options.driver.empty() ? beside_this_program("ke-driver") : options.driver).string();
  task.scratch = folder->path().string();
  task.sandbox = options.sandbox;
  task.limits = options.limits;
  task.device = parent_device_of(*target).uuid;
  auto said = ask_judge(task, options, warm, processes);
  if (said)
    said->warnings.insert(said->warnings.begin(), report.warnings.begin(), report.warnings.end());
  if (said && !what.tensors.empty()) // a KernelBench file says nothing about its cost
    lint_costs(what, *said);
  return said;
}

std::string lint_json(const problem& what, const lint_report& r) {
  using json = nlohmann::ordered_json;
  auto number = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
  json out;
  out["problem"] = what.name;
  out["fit"] = r.reasons.empty();
  out["reasons"] = r.reasons;
  out["warnings"] = r.warnings;
  out["deterministic"] = r.deterministic;
  out["truth"] = r.truth;
  out["secret_shapes"] = r.secret_shapes;
  out["fixed_dims"] = r.still_dims;
  out["assumed"] = r.assumed;
  out["fakes"] = json::array();
  for (const auto& f : r.fakes)
    out["fakes"].push_back(
        {{"tensor", f.tensor}, {"fake", f.fake}, {"of", f.of}, {"cases", f.cases}, {"rejected", f.rejected}});
  out["tolerances"] = json::array();
  for (const auto& t : r.tolerances)
    out["tolerances"].push_back({{"tensor", t.tensor},
                                 {"dtype", t.dtype},
                                 {"workload", t.workload},
                                 {"rule", t.rule},
                                 {"reduction", number(t.reduction)},
                                 {"rtol", number(t.relative)},
                                 {"atol", number(t.absolute)},
                                 {"reference_error", number(t.reference_error)},
                                 {"scale", t.scale}});
  out["edges"] = json::array();
  for (const auto& e : r.edges)
    out["edges"].push_back(
        {{"name", e.name}, {"survives", e.survives}, {"elements", e.elements}, {"checked", e.checked}});
  out["costs"] = json::array();
  for (const auto& c : r.costs)
    out["costs"].push_back({{"workload", c.workload},
                            {"flops", number(c.flops)},
                            {"bytes", number(c.bytes)},
                            {"tensor_bytes", number(c.tensor_bytes)}});
  return json_line(out);
}

} // namespace ke
