#pragma once

#include "backends/evidence/profile_result.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ke {

// PyTorch's profiler on one call, as written by the driver of Python candidates (torch-cpu/driver.py) and
// handed on by the judge. It comes from the candidate's process, which may have forged all of it. Pure.
//
//   total SELF_US CALLS          of all operators
//   SELF_US CALLS NAME           the operators that took most, at most ten
//   timeline                     then, in order of begin:
//   BEGIN_US US NAME             the operators of the main thread

/// The text with names out of `known` only, others called "other": a candidate can choose labels and forge
/// reports, and models see names.
std::string with_known_names(std::string_view text, const std::set<std::string, std::less<>>& known);

/// Counters torch.self_us, torch.calls, and torch.op.NAME.self_us, .calls and .share, for at most ten
/// operators with plain names and finite numbers. torch.top_calls: operators called by the candidate itself,
/// as far as the timeline goes. The finding "operators": the same for a person.
profile_result operators_in(std::string_view text);

/// The timeline in the common schema (call_trace.hpp). Empty if a time in it can't be true.
std::string timeline_in(std::string_view text);

} // namespace ke
