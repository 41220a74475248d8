#pragma once

#include "backends/profile_task.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ke {

// What PyTorch's profiler said of one call, as the driver of Python candidates writes it
// (torch-cpu/driver.py) and the judge hands it on. It comes from the candidate's process, which may have
// forged all of it. Pure.
//
//   total SELF_US CALLS          of all operators
//   SELF_US CALLS NAME           the operators that took most, at most ten
//   timeline                     then, in the order of their begins:
//   BEGIN_US US NAME             the operators of the main thread

/// The text with names out of `known` alone, others called "other": a candidate may label what it does, and
/// replace what tells of it, and names are shown to models.
std::string with_known_names(std::string_view text, const std::set<std::string, std::less<>>& known);

/// Counters torch.self_us, torch.calls, and torch.op.NAME.self_us, .calls and .share of at most ten operators
/// with plain names and finite numbers; torch.top_calls, those that the candidate itself called (not what
/// they called in turn), as far as the timeline goes; the finding "operators", the same for a person.
profile_result operators_in(std::string_view text);

/// The timeline in the common schema (call_trace.hpp). Empty if a time in it can't be true.
std::string timeline_in(std::string_view text);

} // namespace ke
