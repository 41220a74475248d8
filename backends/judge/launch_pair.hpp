#pragma once

#include "backends/judge/caller.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ke {

struct evidence;
struct judge_task;

/// The two processes of a launch.
struct launch_pair {
  caller baseline, candidate;
};

/// While they load.
struct begun_pair {
  open_driver baseline, candidate;
};

/// Starts both, in random order, and lets them load at once.
result<begun_pair> begin_pair(const judge_task& task, const driver_seam& seam, std::size_t memory,
                              const std::vector<int>& cpus, random_source& random);
/// Waits for both. Nothing: the candidate did not load, which is in the evidence. Other failures are the machine's.
result<std::optional<launch_pair>> load_pair(begun_pair begun, const judge_task& task, random_source& random,
                                             evidence& found);

} // namespace ke
