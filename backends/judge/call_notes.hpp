#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge_task.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ke {

/// What wire::left_* bits mean, for the record.
std::string text_of_left(std::uint32_t left);

/// Seconds for an order of `calls` calls when one is known to take `each_ns` (0: unknown): a single call may
/// hang for the limit of a call, the others of the order are not given that time again.
double order_limit(const job_limits& limits, std::size_t calls, double each_ns);

/// Whether all calls of a candidate so far, `candidate_s` seconds of them, keep to `limits.run_s`; if not,
/// that is how it ends. What the reference, the truth and other processes of the machine take is not its
/// time.
bool within_time(evidence& found, const job_limits& limits, double candidate_s, const std::string& workload);

driver_start driver_for(const judge_task& task, const std::string& object, std::size_t memory,
                        const std::vector<int>& cpus);

/// Enters how a call of the candidate ended into the evidence.
void note_ending(evidence& found, const call_outcome& call, const std::string& where);

/// Checks the outputs of one order and enters everything into the evidence. False: no further call makes
/// sense. `counter`: cases or timed_calls_checked, raised by one per checked slot.
bool note_call(evidence& found, const problem& what, const caller& by, const caller::outcome& said,
               std::span<const bank_slot* const> slots, const bound_shapes& shapes, std::int64_t& counter);

} // namespace ke
