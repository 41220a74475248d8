#include "backends/evaluate.hpp"

#include "backends/builder.hpp"
#include "backends/judge_task.hpp"
#include "backends/statistics.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/sandbox.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ke {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t log_limit = 64u << 10;
constexpr int warm_fd = 3; ///< in the judge

fs::path beside_this_program(const char* name) {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out{path, std::ios::binary};
  out << text;
  return static_cast<bool>(out.flush());
}

struct build_step {
  build_role role;
  build_plan plan;
  fs::path folder;
};

} // namespace

struct evaluation::state {
  problem what;
  std::string source;
  backend with;
  device_info target;
  measure_plan kind;
  evaluate_options options;
  artifact_cache cache;
  fs::path folder;
  std::vector<build_step> builds;
  std::size_t at = 0; ///< build in progress
  bool prepared = false;
  bool judging = false;
  bool complete = false;
  bool cached = true; ///< the candidate came from the cache
  failure why;
  evidence found;
  fs::path objects[3];                 ///< by role; empty: not there
  std::shared_ptr<python_parent> warm; ///< of a Python backend

  state(problem p, std::string s, backend b, device_info t, measure_plan k, evaluate_options o)
      : what{std::move(p)}, source{std::move(s)}, with{std::move(b)}, target{std::move(t)}, kind{k},
        options{std::move(o)}, cache{options.cache, options.cache_bytes} {}
  ~state() {
    std::error_code ignored;
    if (!folder.empty())
      fs::remove_all(folder, ignored);
  }

  void fail(failure_kind kind_, std::string text, bool retryable = false) {
    why = {kind_, std::move(text), retryable};
    complete = true;
  }
  void end(ending how, std::string reason) {
    found.ending = how;
    found.reason = std::move(reason);
    complete = true;
  }

  void prepare();
  void plan_builds();
  void place(build_role role, const fs::path& object);
  void built(const process_exit& exit);
  std::optional<process_spec> judge_spec();
  void judged(const process_exit& exit);
};

void evaluation::state::prepare() {
  prepared = true;
  found.device = target.name;
  found.timed = options.timed && with.timed;
  bool python = with.driver == "python";
  if (with.driver != "c-abi" && !python)
    return fail(failure_kind::missing, "backend " + with.name + " needs the driver \"" + with.driver +
                                           "\", which this program does not have");
  if (what.reference_language != (python ? "python" : "c++"))
    return fail(failure_kind::invalid, "problem " + what.name + " has a reference in " +
                                           what.reference_language + "; backend " + with.name +
                                           " needs one in " + (python ? "Python" : "C++"));
  std::error_code error;
  auto parent = options.scratch.empty() ? fs::temp_directory_path(error) : options.scratch;
  if (error)
    return fail(failure_kind::missing,
                "there is no temporary folder (" + error.message() + "); set TMPDIR to one");
  fs::create_directories(parent, error);
  std::string pattern = (parent / "ke-eval-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return fail(failure_kind::internal,
                "cannot make a private folder in " + parent.string() + ": " + std::strerror(errno));
  folder = pattern;
  chmod(pattern.c_str(), 0755); // the sandbox's user must be able to read what lies in it
  if (options.judge.empty())
    options.judge = beside_this_program("ke-judge");
  if (options.driver.empty())
    options.driver = beside_this_program("ke-driver");
  for (const auto& program : {options.judge, options.driver})
    if (!fs::exists(program, error))
      return fail(failure_kind::missing,
                  "the program " + program.string() + " is not there; build it or name its place");
  auto fact = [&](const char* key) {
    auto at_ = target.facts.find(key);
    return at_ == target.facts.end() ? std::string{} : at_->second;
  };
  found.provenance = {
      {"backend", with.name},
      {"problem", problem_digest_of(what)},
      {"candidate", digest_of(source)},
      {"toolchain", fact("toolchain")},
      {"compiler", fact("compiler")},
      {"flags", fact("flags")},
      {"plan", std::string{to_text(kind)}},
      {"judge", KE_VERSION},
      {"sandbox", sandbox_label(parse_name<sandbox_level>(options.sandbox).value_or(sandbox_level::full))}};
  // One id for all that a measurement depends on besides problem and candidate.
  found.provenance["environment"] =
      digest_of_parts({fact("toolchain"), fact("flags"), target.name, fact("isa"), fact("cores"), KE_VERSION,
                       found.provenance["sandbox"]})
          .substr(0, 16);
  if (!python)
    return plan_builds();
  if (!options.python)
    options.python = std::make_shared<python_parents>();
  auto started = options.python->of(with, options.sandbox);
  if (!started) {
    why = started.error();
    complete = true;
    return;
  }
  warm = std::move(*started);
}

void evaluation::state::plan_builds() {
  std::vector<build_role> roles{build_role::candidate};
  if (with.executes)
    roles.insert(roles.end(), {build_role::reference, build_role::truth});
  bool floating = std::any_of(what.tensors.begin(), what.tensors.end(), [](const tensor_spec& t) {
    return t.role != tensor_role::in && (t.dtype == dtype::f64 || t.dtype == dtype::f32 ||
                                         t.dtype == dtype::f16 || t.dtype == dtype::bf16);
  });
  auto toolchain = target.facts.count("toolchain") ? target.facts.at("toolchain") : std::string{};
  for (auto role : roles) {
    if (role == build_role::truth && (!floating || what.bitwise))
      continue; // integers and bits are compared with the reference itself
    static const char* names[] = {"build-candidate", "build-reference", "build-truth"};
    auto place_ = folder / names[static_cast<int>(role)];
    auto plan = plan_build(with, what, role == build_role::candidate ? source : what.reference, role,
                           toolchain, options.limits, place_);
    if (auto hit = cache.find(plan.key)) {
      place(role, *hit);
      if (!objects[static_cast<int>(role)].empty())
        continue;
    }
    if (role == build_role::candidate)
      cached = false;
    builds.push_back({role, std::move(plan), place_});
  }
  if (!objects[0].empty()) // a cached object was built from this very source, so the rule about symbols
                           // applies again
    for (auto& f : forbidden_in(objects[0], with))
      found.flags.push_back(std::move(f));
  if (!found.flags.empty())
    end(ending::policy_violation, found.flags.front().evidence);
}

/// Copies an object to its place in the private folder, readable by the sandbox's user.
void evaluation::state::place(build_role role, const fs::path& object) {
  static const char* names[] = {"candidate.so", "reference.so", "truth.so"};
  auto to = folder / names[static_cast<int>(role)];
  std::error_code error;
  if (fs::symlink_status(object, error).type() != fs::file_type::regular)
    return;
  fs::copy_file(object, to, fs::copy_options::overwrite_existing, error);
  if (!error) {
    chmod(to.c_str(), 0755);
    objects[static_cast<int>(role)] = to;
  }
}

void evaluation::state::built(const process_exit& exit) {
  auto& step = builds[at];
  ++at;
  if (exit.why.kind == failure_kind::missing || exit.why.kind != failure_kind::none)
    return fail(exit.why.kind, exit.why.text, true);
  if (exit.cancelled)
    return fail(failure_kind::cancelled, "the build was cancelled");
  // The launcher's own word, before any compiler ran. (A source can make a compiler say the like; that wins
  // it a second try elsewhere and nothing else.)
  auto level = parse_name<sandbox_level>(options.sandbox).value_or(sandbox_level::full);
  if (exit.code == 1 && has_launcher(level) && exit.err.starts_with("bwrap: ") &&
      exit.err.find(" error: ") == std::string::npos)
    return fail(failure_kind::device,
                "the sandbox can't be set up: " + exit.err.substr(0, exit.err.find('\n')) +
                    "; `ke-runtime doctor` says what this machine lacks",
                true);
  auto wrong = build_failure(exit, options.limits, what);
  if (wrong.empty()) {
    place(step.role, step.folder / step.plan.output);
    if (objects[static_cast<int>(step.role)].empty())
      wrong = "the compiler ended well but left no object";
    else if (!options.cache.empty())
      (void)cache.put(step.plan.key,
                      objects[static_cast<int>(step.role)]); // a full cache costs time, not verdicts
  }
  std::error_code ignored;
  fs::remove_all(step.folder, ignored);
  switch (step.role) {
  case build_role::candidate:
    found.build_s = exit.seconds;
    found.log += exit.err.substr(0, log_limit);
    if (!wrong.empty())
      return end(ending::build_failed, wrong);
    for (auto& f : forbidden_in(objects[0], with))
      found.flags.push_back(std::move(f));
    if (!found.flags.empty())
      return end(ending::policy_violation, found.flags.front().evidence);
    break;
  case build_role::reference:
    if (!wrong.empty()) {
      found.unfit = "the reference does not compile: " + wrong;
      complete = true;
    }
    break;
  case build_role::truth:
    if (!wrong.empty())
      found.provenance["truth_build"] = "the reference does not compile in wider arithmetic: " + wrong;
    break;
  }
}

std::optional<process_spec> evaluation::state::judge_spec() {
  judging = true;
  if (!with.executes) {
    found.compiled_only = true;
    found.reason = "built; nothing here can run it";
    complete = true;
    return std::nullopt;
  }
  judge_task task;
  task.what = what;
  task.candidate = objects[0].string();
  task.reference = objects[1].string();
  task.truth = objects[2].string();
  task.driver = fs::absolute(options.driver).string();
  task.scratch = folder.string();
  task.sandbox = options.sandbox;
  task.plan = kind;
  task.timed = found.timed;
  task.seed = options.seed;
  task.limits = options.limits;
  task.aa_width = options.aa_width;
  task.budget_s = options.budget_s;
  task.provenance = found.provenance;
  if (warm) {
    task.driver_kind = "python";
    task.warm_parent = warm_fd;
    task.source = source;
  }
  double budget = options.budget_s > 0 ? options.budget_s : plan_of(kind).budget_s;
  double whole = std::max(options.limits.run_s, 3 * budget);
  task.limits.run_s = whole;
  process_spec spec;
  spec.argv = {options.judge.string()};
  spec.env = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C"}};
  spec.directory = folder.string();
  spec.input = pack(task);
  spec.deadline = std::chrono::nanoseconds{static_cast<std::int64_t>(whole * 1e9)};
  spec.output_limit = 64u << 20;
  if (warm) {
    spec.pass_fds = {{warm->socket(), warm_fd}};
    spec.keeps = warm;
  }
  return spec;
}

void evaluation::state::judged(const process_exit& exit) {
  complete = true;
  if (exit.why.kind != failure_kind::none)
    return fail(exit.why.kind, exit.why.text, true);
  if (exit.cancelled)
    return fail(failure_kind::cancelled, "the measurement was cancelled");
  if (exit.timed_out)
    return end(ending::timeout, "the whole measurement did not end within " +
                                    std::to_string(static_cast<long>(exit.seconds + 0.5)) + " s");
  auto seen = unpack<evidence>(exit.out);
  if (exit.code != 0 || !seen)
    return fail(failure_kind::internal,
                "ke-judge ended with code " + std::to_string(exit.code) + ", signal " +
                    std::to_string(exit.signal) + ": " + exit.err.substr(0, 400),
                true);
  auto before = std::move(found);
  found = *std::move(seen);
  found.device = before.device;
  found.build_s = before.build_s;
  found.log = before.log + found.log;
  if (found.log.size() > log_limit)
    found.log.resize(log_limit);
  for (const auto& [key, text] : before.provenance)
    found.provenance.emplace(key, text);
  if (warm && found.ending == ending::harness_error && !warm->alive()) {
    auto log_ = warm->log(); // its last line is why Python ended
    log_.erase(log_.find_last_not_of(" \n") + 1);
    found.reason += ": " + log_.substr(log_.rfind('\n') + 1).substr(0, 400);
  }
}

evaluation::evaluation(problem what, std::string source, backend with, device_info target, measure_plan plan,
                       evaluate_options options)
    : state_{std::make_unique<state>(std::move(what), std::move(source), std::move(with), std::move(target),
                                     plan, std::move(options))} {}

evaluation::~evaluation() = default;

std::optional<process_spec> evaluation::next() {
  auto& s = *state_;
  if (!s.prepared)
    s.prepare();
  if (s.complete)
    return std::nullopt;
  if (s.at < s.builds.size()) {
    auto& step = s.builds[s.at];
    std::error_code error;
    fs::create_directories(step.folder, error);
    for (const auto& [name, text] : step.plan.files)
      if (!write_file(step.folder / name, text)) {
        s.fail(failure_kind::disk_full,
               "cannot write " + (step.folder / name).string() + "; is the disk full?", true);
        return std::nullopt;
      }
    sandbox_spec box;
    box.level = parse_name<sandbox_level>(s.options.sandbox).value_or(sandbox_level::full);
    box.writable = {{step.folder.string(), step.folder.string()}};
    box.scratch_bytes = std::max<std::uint64_t>(s.options.limits.scratch_bytes, 256u << 20);
    box.processes = std::max<std::uint32_t>(s.options.limits.processes, 32);
    auto spec = sandboxed(step.plan.spec, box);
    if (!spec) {
      s.why = spec.error();
      s.complete = true;
      return std::nullopt;
    }
    return *std::move(spec);
  }
  if (!s.judging)
    return s.judge_spec();
  return std::nullopt;
}

void evaluation::ended(const process_exit& exit) {
  auto& s = *state_;
  if (s.judging)
    s.judged(exit);
  else if (s.at < s.builds.size())
    s.built(exit);
}

std::string evaluation::phase() const {
  return state_->judging ? "measuring" : "building";
}

std::string evaluation::artifact() const {
  return state_->objects[0].string();
}

result<evidence> evaluation::finish() {
  if (state_->why.kind != failure_kind::none)
    return state_->why;
  return state_->found;
}

result<evidence> evaluate(const problem& what, const std::string& source, const backend& with,
                          measure_plan plan, const evaluate_options& options, process_port& processes) {
  auto target = probe_target(with, processes);
  if (!target)
    return target.error();
  evaluation e{what, source, with, *target, plan, options};
  while (auto spec = e.next())
    e.ended(run_and_wait(processes, *std::move(spec)));
  return e.finish();
}

std::string problem_digest_of(const problem& what) {
  return digest_of(pack(what));
}

} // namespace ke
