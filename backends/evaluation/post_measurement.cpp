// The jobs after the measurement: they add counters, findings and a trace to the evidence of a candidate that
// was found right (or has crashed). One that fails cancels its dependants and nothing else.
#include "backends/evaluation/evaluation_state.hpp"
#include "backends/evaluation/profile_steps.hpp"
#include "backends/evaluation/step_readers.hpp"
#include "backends/evaluation/step_rules.hpp"
#include "backends/evidence/artifact_texts.hpp"
#include "backends/evidence/profile_task.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

namespace ke {
namespace {

constexpr std::size_t most_text = 32u << 20;

std::string text_of_file(const fs::path& path) {
  std::error_code error;
  auto bytes = fs::file_size(path, error);
  std::string text(error ? 0 : std::min<std::uintmax_t>(bytes, most_text), '\0');
  std::ifstream in{path, std::ios::binary};
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out{path, std::ios::binary};
  out << text;
  return static_cast<bool>(out.flush());
}

bool is_maker(const step_spec& j) {
  return j.kind == job_kind::transform || j.kind == job_kind::build;
}

/// Why a job found nothing, in one line; empty if it ended well.
std::string trouble(const process_exit& exit) {
  if (exit.why.kind != failure_kind::none)
    return exit.why.text;
  if (exit.cancelled)
    return "cancelled";
  if (exit.timed_out)
    return "took too long";
  if (exit.code == 0)
    return {};
  auto said = exit.err.substr(0, exit.err.find('\n')).substr(0, 200);
  return said.empty() ? "ended with code " + std::to_string(exit.code) : said;
}

std::string words_of(const std::vector<std::string>& command) {
  std::string words;
  for (const auto& word : command)
    words += word + '\0';
  return words;
}

/// The file that what a job printed is kept as.
std::string name_of_print(const step_spec& j) {
  return j.output.empty() ? j.name + ".txt" : j.output;
}

/// Whether it leaves files of its tools in raw_folder, and prints what is for programs only.
bool leaves_files(const step_spec& j) {
  return j.kind == job_kind::profile && asks_profiler(j) && !runs_tool(j);
}

/// Each of several checks tells what it has found by itself.
profile_result named_after(const std::string& step, profile_result seen) {
  profile_result named;
  for (auto& [name, text] : seen.findings)
    named.findings[name == finding_keys::check ? finding_keys::check_of + step : name] = std::move(text);
  return named;
}

} // namespace

/// A search has no time for it.
bool evaluation::state::looks_closely() const {
  return options.look_closer || kind != measure_plan::rank;
}

/// Further nodes will be made from it.
bool evaluation::state::is_new_best() const {
  if (options.closer_above <= 0)
    return false;
  auto v = verdict_of(found, what, kind);
  return v.state == verdict_state::correct && v.score.value_or(0) > options.closer_above;
}

bool evaluation::state::is_finalist() const {
  return kind == measure_plan::claim && verdict_of(found, what, kind).state == verdict_state::correct;
}

bool evaluation::state::wanted(std::size_t job) const {
  const auto& j = jobs[job];
  if (!comes_after(j))
    return true;
  bool crashed = found.ending == ending::crashed;
  bool right = !crashed && found.timed && found.flags.empty() && !found.nondeterministic;
  if (j.kind == job_kind::profile && is_for_people(j.reads))
    return !crashed && keeps_artifacts();
  if (j.kind == job_kind::profile)
    return !asks_profiler(j)        ? !crashed
           : checks_finalist(j)     ? right && is_finalist()
           : !runs_tool(j)          ? crashed || right
           : reads_crashes(j.reads) ? crashed
                                    : right && keeps_artifacts();
  // What only reads costs nothing; a search has no time for more compilers and runs.
  return right && (j.command.empty() || looks_closely());
}

std::optional<process_spec> evaluation::state::start_closer(std::size_t job) {
  const auto& j = jobs[job];
  if (j.kind != job_kind::profile && j.command.empty()) {
    auto giver = producer_of(jobs, job);
    graph.end(job, giver && read_into_evidence(job, products[*giver].text));
    return std::nullopt;
  }
  auto spec = is_maker(j)                 ? start_maker(job)
              : j.kind == job_kind::trace ? start_trace(job)
                                          : start_profile(job);
  if (!spec && graph.of_job(job) == job_graph::progress::running)
    graph.end(job, false); // what can't be had leaves the evidence as it was
  return spec;
}

std::optional<process_spec> evaluation::state::start_maker(std::size_t job) {
  const auto& j = jobs[job];
  job_input input;
  input.profiler = (programs() / "ke-profiler").string();
  if (auto giver = producer_of(jobs, job)) {
    input.file = jobs[*giver].output;
    input.text = text_of_file(products[*giver].file);
  } else {
    const auto* level = level_of(with, source);
    input.file = "candidate" + (level ? level->suffix : with.language.suffix);
    input.text = source;
  }
  auto folder_ = folder / ("job-" + j.name);
  auto plan =
      plan_job(with, what, j, std::move(input), fact(device_facts::toolchain), options.limits, folder_);
  products[job].key = plan.key;
  if (auto hit = cache.find(plan.key); hit && keep_product(job, *hit)) {
    graph.end(job, true);
    return std::nullopt;
  }
  std::vector<fs::path> reads;
  if (j.command.front() == "{profiler}")
    reads.emplace_back(plan.spec.argv.front());
  auto spec = boxed_build(plan, folder_, options.sandbox, options.limits, reads);
  if (!spec) {
    note_nothing_from(j, spec.error().text);
    return std::nullopt;
  }
  builds.emplace(job, std::move(plan));
  return *std::move(spec);
}

/// Copies what a job made into the private folder, readable by the sandbox's user.
bool evaluation::state::keep_product(std::size_t job, const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::regular)
    return false;
  auto to = folder / ("left-" + jobs[job].name);
  fs::copy_file(file, to, fs::copy_options::overwrite_existing, error);
  if (error)
    return false;
  chmod(to.c_str(), 0755);
  products[job].file = to;
  return true;
}

bool evaluation::state::made(std::size_t job) {
  auto plan = std::move(builds.extract(job).mapped());
  auto folder_ = folder / ("job-" + jobs[job].name);
  bool there = keep_product(job, folder_ / plan.output);
  if (there && !options.cache.empty())
    (void)cache.put(plan.key, products[job].file); // a full cache costs time, not verdicts
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  return there;
}

std::optional<process_spec> evaluation::state::start_trace(std::size_t job) {
  const auto& j = jobs[job];
  const auto& object = products[*producer_of(jobs, job)];
  auto& left = products[job];
  left.key = digest_of_parts(
      {"trace 1", object.key, words_of(j.command), found.provenance[provenance_keys::problem]});
  if (auto hit = cache.find(left.key)) {
    left.text = text_of_file(*hit);
    if (read_into_evidence(job, left.text)) {
      graph.end(job, true);
      return std::nullopt;
    }
  }
  auto task = task_of_profiler();
  task.object = object.file.string();
  return profiler_process(j, with, programs(), folder, std::move(task));
}

/// Empty: no tool's output is kept for this candidate.
std::string evaluation::state::profile_key(const step_spec& j) const {
  if (options.cache.empty() || keys[0].empty())
    return {};
  auto command = words_of(j.command);
  if (asks_profiler(j)) // it depends on the inputs and on how much is asked for, too
    command += found.provenance.contains(provenance_keys::problem)
                   ? found.provenance.at(provenance_keys::problem)
                   : std::string{};
  return digest_of_parts({"profile 5", keys[0], command, j.reads, asks_profiler(j) ? to_text(kind) : "",
                          options.look_closer ? "closely" : "",
                          keeps_artifacts() ? "with texts " + name_of_print(j) : ""});
}

std::optional<process_spec> evaluation::state::start_profile(std::size_t job) {
  const auto& j = jobs[job];
  if (auto hit = cache.find(profile_key(j)))
    if (auto seen = unpack<profile_result>(text_of_file(*hit))) {
      enter_profile(j, *std::move(seen));
      graph.end(job, true);
      return std::nullopt;
    }
  return asks_profiler(j) ? profiler_process(j, with, programs(), folder, task_of_profiler())
                          : tool_process(j, with, objects[0], level_of(options));
}

profile_task evaluation::state::task_of_profiler() const {
  profile_task task;
  task.run = task_of_judge();
  task.found = found;
  task.source = source;
  task.backend_file = (with.folder / "backend.toml").string();
  task.toolchain = fact(device_facts::toolchain);
  task.keeps = raw.wanted() || keeps_artifacts();
  task.keeps_calls = raw.wanted();
  task.thorough = looks_closely();
  return task;
}

bool evaluation::state::closer_ended(std::size_t job, const process_exit& exit) {
  const auto& j = jobs[job];
  if (runs_tool(j))
    found.counters[counter_keys::tools_s] += exit.seconds;
  if (auto ill = trouble(exit); !ill.empty()) {
    note_nothing_from(j, ill);
    builds.erase(job);
    std::error_code ignored;
    fs::remove_all(folder / ("job-" + j.name), ignored);
    return false;
  }
  bool well = is_maker(j) ? made(job) : j.kind == job_kind::trace ? traced(job, exit) : profiled(job, exit);
  keep_raw(job, exit);
  return well;
}

void evaluation::state::keep_raw(std::size_t job, const process_exit& exit) const {
  const auto& j = jobs[job];
  if (!products[job].file.empty())
    raw.keep_file(j.output.empty() ? j.name + ".so" : j.output, products[job].file);
  else if (leaves_files(j))
    raw.keep_files(folder / raw_folder);
  else if (!checks_finalist(j)) // its print is for programs
    raw.keep(name_of_print(j), exit.out);
}

/// What a tool of a `profile` job printed.
std::map<std::string, std::string> evaluation::state::artifacts_of(std::size_t job,
                                                                   const process_exit& exit) const {
  std::map<std::string, std::string> kept;
  const auto& j = jobs[job];
  if (!leaves_files(j)) {
    keep_artifact(kept, name_of_print(j), exit.out);
    return kept;
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder / raw_folder, error})
    if (auto name = entry.path().filename().string(); name.ends_with(".txt"))
      keep_artifact(kept, name, text_of_file(entry.path()));
  return kept;
}

bool evaluation::state::traced(std::size_t job, const process_exit& exit) {
  auto& left = products[job];
  left.text = exit.out;
  if (!read_into_evidence(job, left.text))
    return false;
  auto file = folder / ("left-" + jobs[job].name);
  if (!options.cache.empty() && write_file(file, left.text))
    (void)cache.put(left.key, file);
  return true;
}

/// Of checks that nobody wants now nothing is told; of those of a finalist beside those that found nothing.
void evaluation::state::note_nothing_from(const step_spec& j, const std::string& why) {
  if (!checks_finalist(j)) {
    found.findings[finding_keys::nothing_from + j.name] = why;
    return;
  }
  if (kind != measure_plan::claim)
    return;
  auto& all = found.provenance[provenance_keys::unchecked_by];
  const auto same = ": " + why;
  if (all.ends_with(same))
    all.replace(all.size() - same.size(), same.size(), ", " + j.name + same);
  else
    all += (all.empty() ? "" : "; ") + j.name + same;
}

void evaluation::state::enter_profile(const step_spec& j, profile_result seen) {
  if (!checks_finalist(j))
    return add_profile(seen, found);
  if (!seen.findings.contains(finding_keys::check)) {
    auto& all = found.provenance[provenance_keys::checked_by];
    all += (all.empty() ? "" : ", ") + j.name;
  }
  add_profile(named_after(j.name, std::move(seen)), found);
}

bool evaluation::state::profiled(std::size_t job, const process_exit& exit) {
  const auto& j = jobs[job];
  auto seen = profile_found(j, exit);
  if (!seen)
    return false;
  if (keeps_artifacts() && !checks_finalist(j))
    seen->artifacts = artifacts_of(job, exit);
  auto file = folder / ("left-" + j.name);
  bool says = !seen->counters.empty() || !seen->artifacts.empty();
  if (auto key = profile_key(j);
      !key.empty() && found.ending == ending::finished && says && write_file(file, pack(*seen)))
    (void)cache.put(key, file);
  enter_profile(j, *std::move(seen));
  return true;
}

bool evaluation::state::read_into_evidence(std::size_t job, std::string_view text) {
  auto seen = find_job_reader(jobs[job].kind, jobs[job].reads)(text);
  std::erase_if(seen.findings, [](const auto& f) { return f.second.empty(); });
  add_profile(seen, found);
  return !seen.counters.empty() || !seen.findings.empty();
}

} // namespace ke
