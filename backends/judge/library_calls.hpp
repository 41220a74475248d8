#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// PyTorch's operators, each with its families if it does by itself what is a layer of its own
/// (torch-cpu/fused.py): the first is its own, the others may be called by it in turn. `element` is the
/// family of what works element by element, and is among those of a fused operator that does.
using library_operators = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Lines "NAME FAMILY...".
library_operators operators_of(std::string_view text);

/// Fused operators that no call of the reference has, and what they took of a candidate's call.
struct handed_over {
  std::vector<std::string> names; ///< the one that took longest first; empty: none
  /// Their share of the time of all operators; without those that work element by element, unless theirs do.
  double of_operators = 0;
  double of_call = 0; ///< their share of the time of the call
  /// Whether the operator was theirs: more than half of the operators' time, and a quarter of the call's,
  /// which has the work of other libraries in it, and Python's own.
  bool all() const { return of_operators > 0.5 && of_call > 0.25; }
};

/// What the profiler said of a call of the candidate (torch_profile.hpp), and of one of the reference; no
/// text: of a reference that calls none of them. The candidate's may be forged. Pure.
handed_over fused_calls(std::string_view candidate, std::string_view reference,
                        const library_operators& known);

/// Microseconds that the profiled call took; infinite if the text does not say so.
double call_us(std::string_view text);

} // namespace ke
