#include "backends/evaluation/profile_steps.hpp"

#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/command_template.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "backends/evaluation/step_readers.hpp"
#include "backends/evidence/artifact_texts.hpp"
#include "backends/evidence/profile_task.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/process/self_process.hpp"

#include <algorithm>

namespace ke {
namespace fs = std::filesystem;
namespace {

std::chrono::nanoseconds seconds(double s) {
  return std::chrono::nanoseconds{static_cast<std::int64_t>(s * 1e9)};
}

} // namespace

bool asks_profiler(const step_spec& j) {
  return !j.command.empty() && j.command.front() == "{profiler}";
}

bool runs_tool(const step_spec& j) {
  return checks_finalist(j) || (asks_profiler(j) && j.command.size() > 2 && j.command[1] == "under");
}

bool checks_finalist(const step_spec& j) {
  return asks_profiler(j) && j.command.size() > 2 && j.command[1] == "check";
}

bool is_for_devices(const machine_file& file, const backend& with) {
  auto needs = [&](const step_spec& j) { return mentions(j.command, "{file:" + file.name + "}"); };
  return std::any_of(with.jobs.begin(), with.jobs.end(), needs) &&
         std::all_of(with.jobs.begin(), with.jobs.end(),
                     [&](const step_spec& j) { return !needs(j) || runs_tool(j); });
}

std::optional<process_spec> tool_process(const step_spec& j, const backend& with, const fs::path& object,
                                         sandbox_level level) {
  auto files = find_machine_files(with.files);
  if (!files)
    return std::nullopt;
  template_words words;
  words.texts["{object}"] = object.string();
  words.add(*files);
  process_spec spec;
  spec.argv = expanded(j.command, words);
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C"}};
  spec.directory = "/";
  spec.deadline = seconds(j.limit_s);
  spec.output_limit = 8u << 20;
  spec.memory_bytes = 1ull << 30;
  sandbox_spec box;
  box.level = level;
  box.read_only = {{object.string(), object.string()}};
  for (const auto& place : files->shown(with.files))
    box.read_only.emplace_back(place.string(), place.string());
  auto boxed = sandboxed(std::move(spec), box);
  if (!boxed)
    return std::nullopt;
  return *std::move(boxed);
}

std::optional<process_spec> profiler_process(const step_spec& j, const backend& with,
                                             const fs::path& programs, const fs::path& folder,
                                             profile_task task) {
  task.runner = (programs / "ke-runner").string();
  std::error_code error;
  if (!fs::exists(programs / "ke-profiler", error) || !fs::exists(task.runner, error))
    return std::nullopt;
  auto files = find_machine_files(with.files);
  if (!files)
    return std::nullopt;
  template_words words;
  words.texts["{profiler}"] = (programs / "ke-profiler").string();
  words.texts["{metrics}"] = metrics_for(j.reads);
  words.add(*files);
  if (runs_tool(j)) {
    task.python = python_program();
    for (const auto& place : files->shown(with.files))
      task.shows.push_back(place.string());
  }
  process_spec spec;
  spec.argv = expanded(j.command, words);
  spec.env = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C"}};
  if (runs_tool(j))
    spec.env.merge(device_environment());
  spec.directory = folder.string();
  spec.input = pack(task);
  spec.deadline = seconds(j.limit_s);
  spec.output_limit = 8u << 20;
  return spec;
}

std::optional<profile_result> profile_found(const step_spec& j, const process_exit& how) {
  if (how.why.kind != failure_kind::none || how.code != 0)
    return std::nullopt;
  if (!asks_profiler(j) || (runs_tool(j) && !checks_finalist(j)))
    return find_job_reader(j.kind, j.reads)(how.out);
  auto seen = unpack<profile_result>(how.out);
  if (!seen)
    return std::nullopt;
  return *std::move(seen);
}

void add_profile(const profile_result& seen, evidence& into) {
  into.counters.insert(seen.counters.begin(), seen.counters.end());
  into.findings.insert(seen.findings.begin(), seen.findings.end());
  for (const auto& [name, text] : seen.artifacts)
    keep_artifact(into.artifacts, name, text);
}

} // namespace ke
