#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/caller.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What candidates are timed against: an object, in Python a role's name. The truth is always the
/// reference's.
inline const std::string& timed_against(const judge_task& task) {
  return task.baseline.empty() ? task.reference : task.baseline;
}

/// Nanoseconds of one call of a baseline other than the reference, on these shapes: the fastest of a few, in
/// a process of its own. `device` if it does not load or answer: no candidate can help that.
result<double> baseline_ns(const judge_task& task, const driver_seam& seam, const bound_shapes& shapes,
                           const bank_slot& slot, const std::vector<int>& cpus, std::uint64_t key);

} // namespace ke
