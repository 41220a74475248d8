#include "backends/evaluation/evaluate.hpp"
#include "backends/peaks/peaks.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "config/problem_file.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/claim_text.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/exported_winner.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/foreground.hpp"
#include "interface/cli/judged_text.hpp"
#include "interface/cli/named_problem.hpp"
#include "interface/cli/output_file.hpp"
#include "interface/cli/sample_lines.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/source_template.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace ke::cli {
namespace {

struct eval_options {
  std::string problem, backend, device = "*", sandbox = "best", cache;
  std::vector<std::string> candidates, backend_paths;
  bool json = false, untimed = false;
  std::string plan, trace, baseline, samples;
};

/// `counters`: of its evidence.
void print_for_people(const verdict& v, const std::map<std::string, double>& counters) {
  std::cout << to_text(v.state);
  if (v.decision != timing_decision::none)
    std::cout << ", " << to_text(v.decision);
  std::cout << '\n';
  if (!v.reason.empty())
    std::cout << "  reason: " << v.reason << '\n';
  if (v.timing) {
    const auto& t = *v.timing;
    std::printf("  speedup %s: %.3fx (95%% interval %.3f to %.3f), %lld pairs in %lld launches\n",
                over_text(v).c_str(), t.speedup, t.low, t.high, static_cast<long long>(t.pairs),
                static_cast<long long>(t.launches));
    std::printf("  %s (medians), an empty call %s\n", medians_text(t).c_str(),
                nanoseconds_text(t.floor_ns).c_str());
    std::fflush(stdout);
    std::cout << workload_lines(t, "    ");
  }
  if (v.state != verdict_state::compiled)
    std::cout << "  checked: " << v.cases << " cases, " << v.timed_calls_checked << " of " << v.timed_calls
              << " timed calls, worst error " << v.worst_scaled_error << " of its bound\n";
  std::cout << finalist_lines(v);
  std::cout << static_lines(counters);
  if (v.diagnosis)
    std::cout << diagnosis_lines(*v.diagnosis);
  for (const auto& f : v.flags)
    std::cout << "  flag: " << f.name << ": " << f.evidence << '\n';
  if (v.state != verdict_state::correct && v.state != verdict_state::compiled && !v.log.empty())
    std::cout << v.log.substr(0, 4000) << '\n';
}

/// An exported winner, if one is named instead of a problem and a candidate.
struct exported_facts {
  std::string measured; ///< when it was exported, for people
  std::optional<baseline> against;
};

/// Fills in what the export says and nobody has set.
result<exported_facts> take_exported(eval_options& o) {
  auto winner = read_exported(o.problem);
  if (!winner)
    return winner.error();
  o.problem = winner->problem;
  o.candidates = {winner->candidate};
  if (o.backend.empty())
    o.backend = winner->backend;
  if (o.plan.empty())
    o.plan = to_text(measure_plan::claim);
  exported_facts facts{winner->measured, std::nullopt};
  if (!winner->against.name.empty() && winner->against.name != "reference")
    facts.against = winner->against;
  return facts;
}

/// `interrupted`, `missing` or `invalid`: there is no verdict, and none of another candidate would come, either.
/// `seen`: what the verdict is of, as far as there is any.
result<verdict> judge(const eval_options& o, const problem& what, const std::string& source,
                      measure_plan plan, foreground& judging, evidence& seen) {
  auto found = evaluate(what, source, judging.with(), plan, judging.options, judging.processes());
  if (judging.interrupted())
    return interrupted_failure();
  if (found && !o.trace.empty())
    (void)write_call_trace(o.trace, *found);
  if (found) {
    seen = *std::move(found);
    return verdict_of(seen, what, plan);
  }
  if (found.error().kind == failure_kind::missing || found.error().kind == failure_kind::invalid)
    return found.error();
  verdict v;
  v.state = verdict_state::harness_error;
  v.reason = found.error().text;
  v.backend = judging.with().name;
  return v;
}

void prepare(foreground& judging, const eval_options& o) {
  auto& options = judging.options;
  options.cache = o.cache;
  options.device = o.device;
  options.timed = !o.untimed;
  options.python = std::make_shared<python_parents>(); // started once for all candidates
  options.banks = std::make_shared<truth_banks>();
  if (options.timed && judging.with().device == "cpu")
    options.peaks = peaks_of_machine(user_cache_folder(), cpu_facts());
}

/// Judges the candidates, one after the other, and prints each verdict when it is there.
int judge_all(const eval_options& o, const problem& what, const std::vector<std::string>& sources,
              measure_plan plan, const std::string& when_exported) {
  auto judging = foreground::open(o.sandbox, o.backend, o.backend_paths);
  if (!judging)
    return complain(judging.error(), "eval");
  prepare(**judging, o);
  bool all_correct = true;
  std::string samples;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    evidence seen;
    auto settled =
        at_first_values(sources[i], (*judging)->with().language.syntax); // a model's answer as it is
    if (!settled)
      return complain({failure_kind::invalid, o.candidates[i] + ": " + settled.error().text, false}, "eval");
    auto v = judge(o, what, *settled, plan, **judging, seen);
    if (!v && i > 0)
      std::cerr << "not judged: " << o.candidates[i] << " and what follows it\n";
    if (!v)
      return complain(v.error(), "eval");
    all_correct = all_correct && v->state == verdict_state::correct;
    if (!o.samples.empty()) {
      samples += sample_lines(o.candidates[i], seen, what);
      if (auto written = write_output(o.samples, samples); !written)
        return complain(written.error(), "eval");
    }
    if (o.json) {
      std::cout << verdict_json(*v, seen.counters) << std::endl;
      continue;
    }
    if (sources.size() > 1)
      std::cout << o.candidates[i] << ": ";
    print_for_people(*v, seen.counters);
    if (!when_exported.empty())
      std::cout << "  when it was exported: " << when_exported << '\n';
    std::cout.flush();
  }
  return all_correct ? exit_done : exit_unproven;
}

/// Of the candidates' files; nothing is judged if one can't be read.
result<std::vector<std::string>> read_candidates(const eval_options& o) {
  if (o.candidates.size() > 1 && !o.trace.empty())
    return failure{failure_kind::invalid, "--trace: of one candidate, not of several", false};
  std::vector<std::string> sources;
  for (const auto& file : o.candidates) {
    auto source = read_named_file(file, 1u << 20);
    if (!source)
      return source.error();
    sources.push_back(*std::move(source));
  }
  return sources;
}

int run(eval_options o) {
  signal_watch::block();
  exported_facts exported;
  if (o.candidates.empty()) {
    auto taken = take_exported(o);
    if (!taken)
      return complain(taken.error(), "eval");
    exported = *std::move(taken);
  }
  if (o.backend.empty())
    o.backend = "cpu-cpp";
  if (o.plan.empty())
    o.plan = to_text(measure_plan::eval);
  auto what = named_problem(o.problem);
  if (!what)
    return exit_usage;
  if (!o.baseline.empty()) {
    auto production = read_named_file(o.baseline, 1u << 20);
    if (!production)
      return complain(production.error(), "eval");
    exported.against = baseline{"file:" + o.baseline, *std::move(production)};
  }
  if (exported.against)
    set_baseline(*what, *exported.against);
  auto sources = read_candidates(o);
  if (!sources)
    return complain(sources.error(), "eval");
  auto plan = parse_name<measure_plan>(o.plan);
  if (!plan)
    return complain({failure_kind::invalid, "--plan: expected rank, eval or claim, not " + o.plan, false},
                    "eval");
  if (auto written = o.samples.empty() ? ok : write_output(o.samples, ""); !written) // not after minutes
    return complain(written.error(), "eval");
  return judge_all(o, *what, *sources, *plan, exported.measured);
}

} // namespace

void add_eval(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<eval_options>();
  auto* command = app.add_subcommand("eval", "Judge candidates as a campaign does, without a model");
  command
      ->add_option("PROBLEM", o->problem,
                   "A problem.toml, its folder, or a KernelBench .py file; without CANDIDATE: a folder "
                   "written by `export best`")
      ->required();
  command->add_option("CANDIDATE", o->candidates,
                      "The candidate's source file; of several each is judged, one after the other");
  command->add_option("--backend", o->backend,
                      "Backend that builds and runs it (default: cpu-cpp; for an exported winner its own)");
  command->add_option(
      "--baseline", o->baseline,
      "Source file, written as a candidate is, that it is timed against instead of the reference");
  command
      ->add_option(
          "--device", o->device,
          "Pattern of a name among this machine's devices for the backend; the first that fits judges")
      ->capture_default_str();
  command->add_flag("--json", o->json, "Print each verdict as one JSON document, on a line of its own");
  command->add_flag("--untimed", o->untimed, "Check correctness only");
  command->add_option("--sandbox", o->sandbox, "full | best | none")->capture_default_str();
  command->add_option(
      "--plan", o->plan,
      "How much is measured: rank | eval | claim (default: eval; for an exported winner claim)");
  command->add_option(
      "--trace", o->trace,
      "Write a Chrome trace of one call to this file, by loop or by operator; Perfetto opens it");
  command->add_option("--samples", o->samples,
                      "Write what each pair took to this file, one JSON object a launch and workload");
  command->add_option("--backend-path", o->backend_paths, "Folder with more backends");
  command->add_option("--cache", o->cache, "Folder that keeps built objects for later runs");
  command->footer(
      "Examples:\n  ke-runtime eval config/problems/softmax my_softmax.cpp --backend cpu-cpp --json\n"
      "  ke-runtime eval winner/          an exported winner again, on this machine\n"
      "Exit code: 0 correct (of several: all), 1 any other state, 130 interrupted.");
  command->callback([o, &exit_code] { exit_code = guarded([&] { return run(*o); }); });
}

} // namespace ke::cli
