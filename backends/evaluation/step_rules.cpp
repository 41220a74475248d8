#include "backends/evaluation/step_rules.hpp"

#include "backends/evaluation/step_readers.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr auto instrumented = "instrumented";

bool is_instrumented(const step_spec& j) {
  return j.kind == job_kind::build && j.role == instrumented;
}

bool command_mentions(const step_spec& j, const char* word) {
  return std::any_of(j.command.begin(), j.command.end(),
                     [&](const std::string& w) { return w.find(word) != std::string::npos; });
}

std::optional<std::size_t> find(const std::vector<step_spec>& jobs, const std::string& name) {
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (jobs[i].name == name)
      return i;
  return std::nullopt;
}

bool gives(const step_spec& giver, const step_spec& taker) {
  switch (taker.kind) {
  case job_kind::transform:
    return giver.kind == job_kind::transform;
  case job_kind::build:
    return is_instrumented(taker) && giver.kind == job_kind::transform;
  case job_kind::trace:
    if (!taker.command.empty())
      return is_instrumented(giver);
    [[fallthrough]];
  case job_kind::collect:
    return giver.kind == job_kind::measure || (giver.kind == job_kind::trace && !giver.command.empty());
  default:
    return false;
  }
}

/// What the job must take in from a job that it needs; empty: nothing.
const char* must_take(const step_spec& j) {
  if (is_instrumented(j))
    return "a job of kind transform, whose file it builds";
  if (j.kind == job_kind::trace && !j.command.empty())
    return "a job of kind build with the role instrumented, whose object it calls";
  if (j.kind == job_kind::trace || j.kind == job_kind::collect)
    return "a job of kind measure, or of kind trace with a command, whose text it reads";
  return nullptr;
}

/// No circles: `jobs` make a graph.
bool comes_after_measurement(const std::vector<step_spec>& jobs, std::size_t job) {
  return std::any_of(jobs[job].needs.begin(), jobs[job].needs.end(), [&](const std::string& name) {
    auto at = find(jobs, name);
    return at && (jobs[*at].kind == job_kind::measure || comes_after_measurement(jobs, *at));
  });
}

/// Of a file; empty: none is given.
bool is_file_name(const std::string& name) {
  return name.find('/') == std::string::npos && !name.starts_with('.');
}

std::string validate_reads(const step_spec& j) {
  if (find_job_reader(j.kind, j.reads))
    return {};
  std::string known;
  for (const auto& name : job_reader_names(j.kind))
    known += (known.empty() ? "" : ", ") + name;
  return "of kind " + std::string{to_text(j.kind)} + " needs reads: " + known;
}

} // namespace

bool looks_closer(const step_spec& j) {
  return j.kind == job_kind::transform || j.kind == job_kind::trace || j.kind == job_kind::collect ||
         is_instrumented(j);
}

bool comes_after(const step_spec& j) {
  return looks_closer(j) || j.kind == job_kind::profile;
}

std::optional<std::size_t> producer_of(const std::vector<step_spec>& jobs, std::size_t job) {
  for (const auto& name : jobs.at(job).needs)
    if (auto at = find(jobs, name); at && gives(jobs[*at], jobs[job]))
      return at;
  return std::nullopt;
}

std::string validate(const step_spec& j) {
  switch (j.kind) {
  case job_kind::transform:
    if (!command_mentions(j, "{input}") || !command_mentions(j, "{output}"))
      return "of kind transform needs a command with {input} and {output}";
    if (j.output.empty() || !is_file_name(j.output))
      return "of kind transform needs output: the plain name of the file that it makes";
    return {};
  case job_kind::build:
    if (j.role == "candidate" || j.role == "reference" || j.role == "truth")
      return j.command.empty() ? ""
                               : "of the role " + j.role +
                                     " has no command of its own: change [build], for "
                                     "candidate and reference alike";
    if (j.role != instrumented)
      return "of kind build needs a role: candidate, reference, truth or instrumented";
    return command_mentions(j, "{sources}") && command_mentions(j, "{output}")
               ? ""
               : "of the role instrumented needs a command with {sources} and {output}";
  case job_kind::profile:
    if (j.command.empty())
      return "of kind profile needs a command";
    if (!is_file_name(j.output))
      return "of kind profile has for output a plain name: what its tool prints is kept as this file";
    return j.command.front() == "{profiler}" && j.command.size() == 1 ? "" : validate_reads(j);
  case job_kind::trace:
    if (!j.command.empty() && j.command != std::vector<std::string>{"{profiler}", "trace"})
      return "of kind trace has the command [\"{profiler}\", \"trace\"], or none: nothing else knows how to "
             "call the object";
    return validate_reads(j);
  case job_kind::collect:
    return j.command.empty() ? validate_reads(j)
                             : "of kind collect runs no command: it reads what another job left";
  case job_kind::precheck:
  case job_kind::measure:
    break;
  }
  return {};
}

std::optional<std::pair<std::size_t, std::string>> validate_flow(const std::vector<step_spec>& jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!looks_closer(jobs[i]))
      continue;
    std::string kind{to_text(jobs[i].kind)};
    if (auto* missing = must_take(jobs[i]); missing && !producer_of(jobs, i))
      return std::pair{i, "of kind " + kind + " needs " + missing};
    if (!comes_after_measurement(jobs, i))
      return std::pair{i, "of kind " + kind +
                              " must need the job of kind measure, directly or through others: it is for "
                              "candidates that were found right"};
  }
  return std::nullopt;
}

} // namespace ke
