#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/caller.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ke {

struct evidence;
struct failure;
struct job_limits;
struct problem;

/// What wire::left_* bits mean, for the record.
std::string text_of_left(std::uint32_t left);

/// Seconds for an order of `calls` calls, one of which takes `each_ns` (0: unknown). One call may hang for
/// the limit of a call; the others get no such reserve.
double order_limit(const job_limits& limits, std::size_t calls, double each_ns);

/// Whether the candidate's calls so far, of `candidate_s` seconds, keep to `limits.run_s`; if not, that is
/// its ending. Time of the reference, the truth and other processes does not count.
bool within_time(evidence& found, const job_limits& limits, double candidate_s, const std::string& workload);

/// Enters that there is no judgement: a problem that cannot be judged anywhere (`invalid`) is unfit; a machine that
/// cannot judge is retried elsewhere.
void note_failure(evidence& found, const failure& why);

/// Enters the ending of a candidate's call into the evidence.
void note_ending(evidence& found, const call_outcome& call, const std::string& where);

/// What the calls of an order may answer: per call and tensor. None for a call: what its slot says.
using allowed_results = std::vector<std::vector<expectation>>;

/// Checks the outputs of one order and enters everything into the evidence. False: no further call makes
/// sense. `counter`: cases or timed_calls_checked; grows by one per checked slot. `allowed`: empty, or of each slot.
bool note_call(evidence& found, const problem& what, const caller& by, const caller::outcome& said,
               std::span<const bank_slot* const> slots, const bound_shapes& shapes, std::int64_t& counter,
               const allowed_results& allowed = {});

} // namespace ke
