#pragma once

#include "backends/evidence/profile_result.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <string>
#include <vector>

namespace ke {

struct profile_task;

/// Looks for faults of a finalist with one of the tools of compute-sanitizer (`tool`: its words): on the smallest workload
/// and at a secret shape beside it, where the problem has one. Finding `check`: the first fault in our own words, which the
/// reference does not show under the same tool, with `sanitizer_report`; none where the reference shows one as well. Counter
/// `checked`: cases looked at. Device code has a reference that runs on no device: it is asked nothing, and only promised
/// shapes are tried. Fails with the reason where the tool did not come to its end, with the candidate or with the reference.
/// Blocks.
result<profile_result> check_finalist(const profile_task& task, const std::vector<std::string>& tool,
                                      process_port& processes);

} // namespace ke
