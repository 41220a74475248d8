#include "backends/profile/finalist_check.hpp"

#include "backends/evidence/device_sanitizer.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "backends/evidence/profile_task.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/shapes.hpp"
#include "backends/profile/tool_call.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"

#include <utility>

namespace ke {
namespace {

/// The smallest workload, and a shape beside it.
result<std::vector<case_choice>> cases_of(const problem& what, bool promised_only) {
  auto all = bind_workloads(what);
  if (!all)
    return all.error();
  if (all->empty())
    return failure{failure_kind::invalid, "the problem has no workload", false};
  const auto& smallest = (*all)[smallest_of(*all)];
  std::vector<case_choice> cases{{smallest.dims}};
  random_source random{secret_key()};
  if (auto beside = shape_beside(what, smallest, random);
      beside && (!promised_only || is_promised(what, beside->dims)))
    cases.push_back({beside->dims});
  return cases;
}

/// Device code has a process for each.
std::vector<std::vector<case_choice>> by_process(std::vector<case_choice> cases, bool device_code) {
  if (!device_code)
    return {std::move(cases)};
  std::vector<std::vector<case_choice>> each;
  each.reserve(cases.size());
  for (auto& one : cases)
    each.push_back({std::move(one)});
  return each;
}

/// The first fault that the tool tells of these cases; no findings: it came to its end without one. A reference has to come
/// to its end in any case.
result<profile_result> looked_at(const profile_task& task, const std::vector<std::string>& tool,
                                 python_role whom, const std::vector<case_choice>& cases,
                                 process_port& processes) {
  auto printed = call_cases(task, tool, whom, cases, processes);
  if (!printed)
    return printed.error();
  auto seen = read_device_sanitizer(printed->text);
  const bool ended = printed->code == 0 && has_sanitizer_summary(printed->text),
             may_crash = whom == python_role::candidate && !seen.findings.empty();
  if (!ended && !may_crash)
    return failure{failure_kind::missing, printed->last_words, false};
  return seen;
}

} // namespace

result<profile_result> check_finalist(const profile_task& task, const std::vector<std::string>& tool,
                                      process_port& processes) {
  const bool device_code = driver_builds(task.run.driver_kind);
  auto cases = cases_of(task.run.what, device_code);
  if (!cases)
    return cases.error();
  profile_result found;
  found.counters[counter_keys::checked] = static_cast<double>(cases->size());
  for (const auto& some : by_process(*std::move(cases), device_code)) {
    auto seen = looked_at(task, tool, python_role::candidate, some, processes);
    if (!seen)
      return seen.error();
    if (seen->findings.empty())
      continue;
    auto usual = device_code ? result<profile_result>{profile_result{}}
                             : looked_at(task, tool, python_role::reference, some, processes);
    if (!usual)
      return failure{failure_kind::missing, "of the reference: " + usual.error().text, false};
    if (!usual->findings.empty())
      return found; // so does the reference
    found.findings[finding_keys::check] = seen->findings[finding_keys::sanitizer];
    found.findings[finding_keys::sanitizer_report] = seen->findings[finding_keys::sanitizer_report];
    return found;
  }
  return found;
}

} // namespace ke
