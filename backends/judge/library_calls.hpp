#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// PyTorch's operators; each with its families if it does by itself what is a layer of its own
/// (torch-cpu/fused.py). The first family is its own; it may call the others in turn. `element` is the family
/// of elementwise operators; a fused operator with such work has it, too.
using library_operators = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Lines "NAME FAMILY...".
library_operators operators_of(std::string_view text);

/// Fused operators that no call of the reference has, and their share of a candidate's call.
struct handed_over {
  std::vector<std::string> names; ///< the longest first; empty: none
  /// Share of the time of all operators; without elementwise ones, unless theirs are.
  double of_operators = 0;
  /// Share of the time of the call, and of the capture of graphs that it replays.
  double of_call = 0;
  /// Whether the operator was theirs: more than half of the operators' time, and a quarter of the call's,
  /// which contains other libraries' work and Python's own.
  bool all() const { return of_operators > 0.5 && of_call > 0.25; }
};

/// From the profiler's text of a call of the candidate (torch_profile.hpp), and of one of the reference; no
/// text: of a reference that calls none of them. The candidate's may be forged. Pure.
handed_over fused_calls(std::string_view candidate, std::string_view reference,
                        const library_operators& known);

/// Microseconds of the profiled call; infinite if the text does not say.
double call_us(std::string_view text);

} // namespace ke
