#include "backends/evaluation/evaluate.hpp"

#include "backends/evaluation/command_template.hpp"
#include "backends/evaluation/compiler_crash.hpp"
#include "backends/evaluation/evaluation_state.hpp"
#include "backends/evaluation/profile_steps.hpp"
#include "backends/evaluation/step_rules.hpp"
#include "backends/evidence/artifact_texts.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "backends/evidence/judge_task.hpp"
#include "backends/peaks/peaks.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/self_process.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <set>

namespace ke {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t step_log_limit = 64u << 10;
constexpr const char* operators_file = "operators.txt"; ///< what PyTorch's profiler said

constexpr const char* role_names[] = {"candidate", "reference", "truth", "baseline"};

build_role role_of(const step_spec& j) {
  for (int r = 0; r < 4; ++r)
    if (j.role == role_names[r])
      return static_cast<build_role>(r);
  return build_role::candidate;
}

/// Judge and driver: those that are named, or those beside this program.
status find_programs(evaluate_options& options) {
  std::error_code error;
  if (options.judge.empty())
    options.judge = beside_this_program("ke-judge");
  if (options.driver.empty())
    options.driver = beside_this_program("ke-driver");
  for (const auto& program : {options.judge, options.driver})
    if (!fs::exists(program, error))
      return failure{failure_kind::missing,
                     "the program " + program.string() + " is not there; build it or name its place"};
  return ok;
}

} // namespace

void evaluation::state::note_provenance() {
  found.provenance = {{"backend", with.name},
                      {provenance_keys::problem, problem_digest_of(what)},
                      {"candidate", digest_of(source)},
                      {"toolchain", fact(device_facts::toolchain)},
                      {"compiler", fact(device_facts::compiler)},
                      {"flags", fact(device_facts::flags)},
                      {"plan", std::string{to_text(kind)}},
                      {"judge", KE_VERSION},
                      {"sandbox", sandbox_label(level_of(options))}};
  if (with.language.name != what.reference_language) { // it does not follow from the problem
    found.provenance[provenance_keys::language] = with.language.name;
    if (source != what.reference)
      found.provenance[provenance_keys::suffix] = with.language.suffix;
  }
  std::string variables;
  for (const auto& [name, value] : with.environment)
    variables += name + '=' + value + '\0';
  if (auto b = baseline_of(what)) {
    found.provenance[provenance_keys::baseline] = b->name;
    if (!b->source.empty())
      found.provenance[provenance_keys::baseline_source] = digest_of(b->source);
  }
  // One id for all that a measurement depends on besides problem and candidate.
  found.provenance[provenance_keys::environment] =
      digest_of_parts({fact(device_facts::toolchain), fact(device_facts::flags), target.name,
                       fact(device_facts::isa), fact(device_facts::cores), KE_VERSION,
                       found.provenance[provenance_keys::sandbox] + variables})
          .substr(0, 16);
}

void evaluation::state::prepare() {
  prepared = true;
  if (with.builds_without_device_only && executes_on(with, target))
    with.build.clear();
  found.device = kind_of_device(target.name);
  found.timed = options.timed && with.timed;
  const auto* driver_kind = traits_of_driver(with.driver);
  if (!driver_kind)
    return fail(failure_kind::missing, "backend " + with.name + " needs the driver \"" + with.driver +
                                           "\", which this program does not have");
  if (what.reference_language != with.reference_language)
    return fail(failure_kind::invalid, "problem " + what.name + " has a reference in " +
                                           what.reference_language + "; backend " + with.name +
                                           " needs one in " + with.reference_language);
  auto own = private_folder::make(options.scratch, "ke-eval-");
  if (!own)
    return fail(own.error().kind, own.error().text);
  own_folder = *std::move(own);
  own_folder.let_others_read();
  folder = own_folder.path();
  if (auto there = find_programs(options); !there)
    return fail(there.error().kind, there.error().text);
  note_provenance();
  if (driver_kind->has_warm_parent && executes_on(with, target)) {
    if (!options.python)
      options.python = std::make_shared<python_parents>();
    auto started = options.python->of(with, options.sandbox, parent_device_of(target));
    if (!started)
      return fail(started.error().kind, started.error().text, started.error().retryable);
    warm = std::move(*started);
  }
  if (options.banks && kind != measure_plan::claim)
    bank = options.banks->of(digest_of_parts({found.provenance[provenance_keys::problem],
                                              found.provenance[provenance_keys::environment], with.name}));
  plan_jobs();
}

std::vector<step_spec> evaluation::state::manifest() const {
  auto all = with.jobs;
  auto b = baseline_of(what);
  if (!b || b->source.empty() || (with.build.empty() && !compiles_baseline()) || !found.timed)
    return all;
  step_spec build;
  build.name = "build of the baseline";
  build.role = "baseline";
  for (auto& j : all)
    if (j.kind == job_kind::measure)
      j.needs.push_back(build.name);
  all.insert(all.begin(), std::move(build));
  return all;
}

namespace {

/// Whether a step reads the built object alone, so that nothing of a candidate has to run for it.
bool reads_object(const step_spec& j) {
  return j.kind == job_kind::profile && !asks_profiler(j);
}

} // namespace

bool evaluation::state::is_left_out(const step_spec& j) {
  if (j.kind == job_kind::build && j.role == "truth" && !wants_wider_truth(what))
    return true;
  if (j.kind <= job_kind::precheck && with.build.empty() && j.role != "baseline")
    return true; // there is nothing to build
  for (const auto& f : with.files)
    if (f.optional && comes_after(j) && mentions(j.command, "{file:" + f.name + "}") && !has_file(f)) {
      note_nothing_from(j, f.name + " is not on this machine: " + f.hint);
      return true;
    }
  if (executes_on(with, target))
    return false;
  bool runs = place_of(j.kind) == job_place::device || looks_closer(j) ||
              (j.kind == job_kind::build && j.role != "candidate");
  return runs && !reads_object(j);
}

/// Leaves out what this problem, backend or machine has no use for.
void evaluation::state::plan_jobs() {
  std::set<std::string> left_out;
  std::vector<job_graph::node> nodes;
  for (const auto& j : manifest()) {
    if (is_left_out(j)) {
      left_out.insert(j.name);
      continue;
    }
    job_graph::node n{j.name, j.kind, {}};
    for (const auto& need : j.needs)
      if (!left_out.contains(need))
        n.needs.push_back(need);
    bool has_object = executes_on(with, target) && !with.build.empty();
    if (reads_object(j) && !has_object && n.needs.empty()) { // nothing to wait for
      left_out.insert(j.name);
      continue;
    }
    nodes.push_back(std::move(n));
    jobs.push_back(j);
  }
  auto made = job_graph::of(std::move(nodes));
  if (!made)
    return fail(failure_kind::invalid, "backend " + with.name + ": " + made.error().text);
  graph = *std::move(made);
  products.resize(jobs.size());
  if (!executes_on(with, target)) {
    found.compiled_only = true;
    found.reason = std::string{device_facts::compiled_not_executed} + ": nothing here can run it";
  }
}

std::optional<process_spec> evaluation::state::start(std::size_t job) {
  if (comes_after(jobs[job]))
    return start_closer(job);
  switch (jobs[job].kind) {
  case job_kind::build:
    return compiles_baseline() ? start_preparation(job) : start_build(job);
  case job_kind::precheck:
    graph.end(job, precheck());
    return std::nullopt;
  default:
    return judge_spec_of(task_of_judge());
  }
}

std::string evaluation::state::text_of(build_role role) const {
  if (role == build_role::candidate)
    return source;
  auto b = baseline_of(what);
  return role == build_role::baseline && b ? b->source : what.reference;
}

std::optional<process_spec> evaluation::state::start_build(std::size_t job) {
  auto role = role_of(jobs[job]);
  auto r = static_cast<int>(role);
  auto folder_ = folder / ("build-" + jobs[job].name);
  auto by = crashes.contains(job) ? build_compiler::second : build_compiler::first;
  if (auto files = find_machine_files(with.files);
      !files) { // one that has gone since is no candidate's fault
    fail(failure_kind::missing, "backend " + with.name + ": " + files.error().text, true);
    graph.end(job, false);
    return std::nullopt;
  }
  auto plan = plan_build(with, what, text_of(role), role, fact(device_facts::toolchain), options.limits,
                         folder_, {by, truth_form, fact(device_facts::isa)});
  if (by == build_compiler::second)
    found.provenance[std::string{role_names[r]} + "_compiler"] = compiler_name(with.second_build) + ", as " +
                                                                 compiler_name(with.build) +
                                                                 " crashed: " + crashes.at(job);
  keys[r] = plan.key;
  if (auto hit = cache.find(plan.key)) {
    place(role, *hit);
    if (!objects[r].empty()) {
      graph.end(job, true);
      return std::nullopt;
    }
  }
  auto spec = boxed_build(plan, folder_, options.sandbox, options.limits);
  if (!spec) {
    fail(spec.error().kind, spec.error().text, spec.error().retryable);
    graph.end(job, false);
    return std::nullopt;
  }
  builds.emplace(job, std::move(plan));
  return *std::move(spec);
}

/// A cached object was built from this very source, so the rule about symbols applies again.
bool evaluation::state::precheck() {
  for (auto& f : forbidden_in(objects[0], with))
    found.flags.push_back(std::move(f));
  if (found.flags.empty())
    return true;
  found.ending = ending::policy_violation;
  found.reason = found.flags.front().evidence;
  return false;
}

/// What makes the first compiler itself crash, or never end, is no verdict on the source before another one
/// has tried it. The reference keeps the first one, so that all candidates are compared with the same object.
bool evaluation::state::builds_again(std::size_t job, const process_exit& exit) {
  bool over = why.kind != failure_kind::none || !found.unfit.empty(); // nobody waits for it any more
  if (jobs[job].kind != job_kind::build || compiles_baseline() || over ||
      exit.why.kind != failure_kind::none || exit.cancelled)
    return false;
  auto role = role_of(jobs[job]);
  auto crash = crashes.contains(job) ? std::string{} : compiler_crash(exit, options.limits, what);
  if (!crash.empty() && has_second_compiler(with, text_of(role)))
    crashes[job] = std::move(crash);
  else if (role == build_role::truth && truth_form == widening::all && exit.code != 0)
    truth_form = widening::all_but_carried;
  else
    return false;
  builds.erase(job);
  std::error_code ignored;
  fs::remove_all(folder / ("build-" + jobs[job].name), ignored);
  graph.again(job);
  return true;
}

std::string evaluation::state::build_trouble(std::size_t job, const std::string& wrong) const {
  auto first = crashes.find(job);
  if (first == crashes.end())
    return wrong;
  return compiler_name(with.build) + " crashed (" + first->second + "), and " +
         compiler_name(with.second_build) + " does not build it either: " + wrong;
}

/// Copies an object to its place in the private folder, readable by the sandbox's user.
void evaluation::state::place(build_role role, const fs::path& object) {
  auto to = folder / (std::string{role_names[static_cast<int>(role)]} + ".so");
  std::error_code error;
  if (fs::symlink_status(object, error).type() != fs::file_type::regular)
    return;
  fs::copy_file(object, to, fs::copy_options::overwrite_existing, error);
  if (!error) {
    chmod(to.c_str(), 0755);
    objects[static_cast<int>(role)] = to;
  }
}

/// False: nothing that needs this object can go on.
bool evaluation::state::built(std::size_t job, const process_exit& exit) {
  auto plan = std::move(builds.extract(job).mapped());
  auto role = role_of(jobs[job]);
  auto& object = objects[static_cast<int>(role)];
  fs::path folder_ = folder / ("build-" + jobs[job].name);
  if (exit.why.kind != failure_kind::none)
    return fail(exit.why.kind, exit.why.text, true), false;
  if (exit.cancelled)
    return fail(failure_kind::cancelled, "the build was cancelled"), false;
  // The launcher's own word, before any compiler ran. (A source can make a compiler say the like; that wins
  // it a second try elsewhere and nothing else.)
  if (exit.code == 1 && has_launcher(level_of(options)) && exit.err.starts_with("bwrap: ") &&
      exit.err.find(" error: ") == std::string::npos)
    return fail(failure_kind::device,
                "the sandbox can't be set up: " + exit.err.substr(0, exit.err.find('\n')) +
                    "; `ke-runtime doctor` says what this machine lacks",
                true),
           false;
  if (with.missing_code != 0 && exit.code == with.missing_code)
    return fail(failure_kind::missing, exit.err.substr(0, exit.err.find('\n')).substr(0, 400), true), false;
  auto wrong = build_failure(exit, options.limits, what);
  if (!wrong.empty() && !crashes.contains(job) && !compiler_crash(exit, options.limits, what).empty())
    if (auto lacks = second_compiler_lacks(with); !lacks.empty())
      wrong += "; " + lacks;
  if (wrong.empty()) {
    place(role, folder_ / plan.output);
    if (object.empty())
      wrong = "the compiler ended well but left no object";
    else if (!options.cache.empty())
      (void)cache.put(plan.key, object); // a full cache costs time, not verdicts
  }
  if (!wrong.empty())
    wrong = build_trouble(job, wrong);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  return note_build(role, exit, wrong);
}

/// Enters how a build ended; `wrong`: why it came to nothing, if it did. False: nothing more can be done.
bool evaluation::state::note_build(build_role role, const process_exit& exit, const std::string& wrong) {
  switch (role) {
  case build_role::candidate:
    found.build_s = exit.seconds;
    found.log += exit.err.substr(0, step_log_limit);
    if (!wrong.empty()) {
      found.ending = ending::build_failed;
      found.reason = wrong;
    }
    return wrong.empty();
  case build_role::reference:
    if (!wrong.empty()) {
      auto lacks = missing_vendor_library(exit.err, with, what);
      found.unfit = lacks.empty() ? "the reference does not compile: " + wrong : lacks;
    }
    return wrong.empty();
  case build_role::baseline:
    if (!wrong.empty())
      found.unfit = "the baseline does not compile: " + wrong;
    return wrong.empty();
  case build_role::truth:
    if (!wrong.empty()) // the judge does without
      found.provenance[provenance_keys::truth_build] =
          "the reference does not compile in wider arithmetic: " + wrong;
    break;
  }
  return true;
}

void evaluation::state::give_time(judge_task& task) const {
  double budget = options.budget_s > 0 ? options.budget_s : plan_of(kind).budget_s;
  task.limits.run_s = std::max(options.limits.run_s, 3 * budget);
  if (compiles_baseline()) {
    task.compile_s = options.limits.build_s;
    if (source == task.baseline_source) { // judged itself: what it compiles for other strides has time, too
      task.limits.call_s = std::max(task.limits.call_s, task.compile_s);
      task.limits.run_s += task.compile_s;
    }
  }
}

judge_task evaluation::state::task_of_judge() const {
  judge_task task;
  task.what = what;
  task.candidate = objects[0].string();
  task.reference = objects[1].string();
  task.truth = objects[2].string();
  task.truth_keeps_carried = truth_form != widening::all;
  task.baseline = objects[3].string();
  task.driver = fs::absolute(options.driver).string();
  task.scratch = folder.string();
  task.sandbox = options.sandbox;
  task.plan = kind;
  task.timed = found.timed;
  task.seed = options.seed;
  task.limits = options.limits;
  task.most_elements = found.timed ? 0 : with.most_elements;
  task.aa_width = options.aa_width;
  task.budget_s = options.budget_s;
  task.provenance = found.provenance;
  task.driver_kind = with.driver;
  if (warm) {
    task.warm_parent = judge_warm_fd;
    task.source = source;
    if (auto b = baseline_of(what))
      task.baseline_source = b->source;
  }
  task.bank = bank ? judge_bank_fd : -1;
  task.device = fact(device_facts::uuid);
  auto announced = announced_peaks(target);
  task.peaks = announced.empty() ? options.peaks : announced;
  give_time(task);
  return task;
}

process_spec evaluation::state::judge_spec_of(const judge_task& task) const {
  // The judge itself holds the candidate's calls to `run_s`. The rest is for the reference, the truth and a
  // loud machine, which are no candidate's fault; this ends what has no other end.
  double whole = 4 * task.limits.run_s;
  process_spec spec;
  spec.argv = {options.judge.string()};
  spec.env = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C"}};
  if (!task.device.empty())
    spec.env.merge(device_environment());
  spec.directory = folder.string();
  spec.input = pack(task);
  spec.deadline = std::chrono::nanoseconds{static_cast<std::int64_t>(whole * 1e9)};
  spec.output_limit = 64u << 20;
  if (warm)
    spec.pass_fds.emplace_back(warm->socket(), judge_warm_fd);
  if (bank)
    spec.pass_fds.emplace_back(bank->fd.get(), judge_bank_fd);
  spec.keeps = std::make_shared<std::pair<decltype(warm), decltype(bank)>>(warm, bank);
  return spec;
}

/// True: the candidate was right or has crashed, so that looking closer makes sense.
/// What was known before the judge answered.
static void keep_beside(evidence& found, const evidence& before) {
  found.device = before.device;
  found.build_s = before.build_s;
  found.log = before.log + found.log;
  if (found.log.size() > step_log_limit)
    found.log.resize(step_log_limit);
  for (const auto& [key, text] : before.provenance)
    found.provenance.emplace(key, text);
  for (const auto& [key, text] : before.findings) // which tools are not on this machine
    found.findings.emplace(key, text);
}

bool evaluation::state::judged(std::size_t job, const process_exit& exit) {
  if (exit.why.kind != failure_kind::none)
    return fail(exit.why.kind, exit.why.text, true), false;
  if (exit.cancelled)
    return fail(failure_kind::cancelled, "the measurement was cancelled"), false;
  if (exit.timed_out) {
    found.ending = ending::timeout;
    found.reason =
        "the whole measurement did not end within " + std::to_string(std::lround(exit.seconds)) + " s";
    return false;
  }
  auto seen = unpack<evidence>(exit.out);
  if (exit.code != 0 || !seen)
    return fail(failure_kind::internal,
                "ke-judge ended with code " + std::to_string(exit.code) + ", signal " +
                    std::to_string(exit.signal) + ": " + exit.err.substr(0, 400),
                true),
           false;
  auto before = std::move(found);
  found = *std::move(seen);
  if (auto left = found.findings.extract("profiler")) // for jobs that read it, if there are any
    products[job].text = std::move(left.mapped());
  raw.keep(operators_file, products[job].text);
  raw.keep_file("candidate.object", objects[0]);
  keep_beside(found, before);
  new_best = is_new_best();
  if (keeps_artifacts())
    keep_artifact(found.artifacts, operators_file, products[job].text);
  if (warm && found.ending == ending::harness_error && !warm->alive()) {
    auto log_ = warm->log(); // its last line is why Python ended
    log_.erase(log_.find_last_not_of(" \n") + 1);
    found.reason += ": " + log_.substr(log_.rfind('\n') + 1).substr(0, 400);
  }
  return (found.ending == ending::finished || found.ending == ending::crashed) && found.failed == 0 &&
         found.unfit.empty();
}

evaluation::evaluation(problem what, std::string source, backend with, device_info target, measure_plan plan,
                       evaluate_options options)
    : state_{std::make_unique<state>(std::move(what), std::move(source), std::move(with), std::move(target),
                                     plan, std::move(options))} {}

evaluation::~evaluation() = default;

std::vector<started_step> evaluation::ready(job_place place, std::size_t most) {
  auto& s = *state_;
  if (!s.prepared)
    s.prepare();
  std::vector<started_step> found;
  for (bool again = true; again;) { // what ends on the spot may make others ready
    again = false;
    for (auto job : s.graph.ready()) {
      if (found.size() == most)
        return found;
      if (s.graph.place(job) != place || s.graph.of_job(job) != job_graph::progress::waiting)
        continue;
      if (!s.wanted(job)) {
        s.graph.cancel(job);
        again = true;
        continue;
      }
      s.graph.begin(job);
      if (auto spec = s.start(job))
        found.push_back({job, s.jobs[job].name, s.jobs[job].kind, *std::move(spec)});
      else
        again = true;
    }
  }
  return found;
}

void evaluation::ended(std::size_t id, const process_exit& how) {
  auto& s = *state_;
  const auto& j = s.jobs.at(id);
  if (!comes_after(j) && s.builds_again(id, how))
    return;
  bool well = comes_after(j)                ? s.closer_ended(id, how)
              : j.kind == job_kind::measure ? s.judged(id, how)
              : s.compiles_baseline()       ? s.baseline_prepared(how)
                                            : s.built(id, how);
  s.graph.end(id, well);
}

bool evaluation::complete() const {
  return state_->prepared && state_->graph.complete();
}

std::string evaluation::artifact() const {
  return state_->objects[0].string();
}

result<evidence> evaluation::finish() {
  if (state_->why.kind != failure_kind::none)
    return state_->why;
  add_roles(state_->with.metrics, state_->found);
  return state_->found;
}

result<evidence> evaluate(const problem& what, const std::string& source, const backend& with,
                          measure_plan plan, const evaluate_options& options, process_port& processes) {
  auto target = probe_target(with, processes, options.device);
  if (!target)
    return target.error();
  evaluation e{what, source, with, *target, plan, options};
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<std::size_t, process_exit>> over;
  std::size_t running = 0;
  for (;;) {
    for (auto& j : e.ready(job_place::shared)) { // together
      ++running;
      processes.run(std::move(j.spec), [&, id = j.id](process_exit how) {
        std::lock_guard lock{mutex};
        over.emplace_back(id, std::move(how));
        changed.notify_all();
      });
    }
    if (running == 0) { // alone
      auto jobs = e.ready(job_place::device, 1);
      if (jobs.empty())
        return e.finish();
      e.ended(jobs[0].id, run_and_wait(processes, std::move(jobs[0].spec)));
      continue;
    }
    std::unique_lock lock{mutex};
    changed.wait(lock, [&] { return !over.empty(); });
    auto now = std::exchange(over, {});
    lock.unlock();
    running -= now.size();
    for (const auto& [id, how] : now)
      e.ended(id, how);
  }
}

std::string problem_digest_of(const problem& what) {
  return digest_of(pack(what));
}

} // namespace ke
