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
  std::vector<bound_shapes> all;
  for (const auto& w : what.workloads) {
    auto bound = bind_shapes(what, w.name, w.dims);
    if (!bound)
      return bound.error();
    all.push_back(*std::move(bound));
  }
  if (all.empty())
    return failure{failure_kind::invalid, "the problem has no workload", false};
  const auto& smallest = all[smallest_of(all)];
  std::vector<case_choice> cases{{smallest.dims}};
  random_source random{secret_key()};
  if (auto beside = shape_beside(what, smallest, random);
      beside && (!promised_only || is_promised(what, beside->dims)))
    cases.push_back({beside->dims});
  return cases;
}

bool ended_well(const tool_print& printed) {
  return printed.code == 0 && has_sanitizer_summary(printed.text);
}

} // namespace

result<profile_result> check_finalist(const profile_task& task, const std::vector<std::string>& tool,
                                      process_port& processes) {
  const auto* driver = traits_of_driver(task.run.driver_kind);
  const bool device_code = driver && driver->builds;
  auto cases = cases_of(task.run.what, device_code);
  if (!cases)
    return cases.error();
  auto own = call_cases(task, tool, python_role::candidate, *cases, processes);
  if (!own)
    return own.error();
  profile_result found;
  found.counters[counter_keys::checked] = static_cast<double>(cases->size());
  auto seen = read_device_sanitizer(own->text);
  auto fault = seen.findings.find(finding_keys::sanitizer);
  if (fault == seen.findings.end())
    return ended_well(*own) ? result<profile_result>{std::move(found)}
                            : failure{failure_kind::missing, own->last_words, false};
  if (!device_code) {
    auto reference = call_cases(task, tool, python_role::reference, *cases, processes);
    if (!reference)
      return reference.error();
    if (!ended_well(*reference))
      return failure{failure_kind::missing,
                     "the reference does not come to its end under it: " + reference->last_words, false};
    if (!read_device_sanitizer(reference->text).findings.empty())
      return found; // so does the reference
  }
  found.findings[finding_keys::check] = fault->second;
  found.findings[finding_keys::sanitizer_report] = seen.findings[finding_keys::sanitizer_report];
  return found;
}

} // namespace ke
