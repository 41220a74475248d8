#pragma once

#include "runtime/core/verdict.hpp"

#include <string>
#include <vector>

namespace ke {

/// A stretch of one call of the candidate in one of its loops, as its instrumented copy told.
struct loop_stretch {
  std::string loop; ///< "line:6"
  double begin_us = 0, us = 0;
};

/// From the findings of the profile; empty if there are none. Pure; the text is untrusted.
std::vector<loop_stretch> loop_stretches(const evidence& found);

/// The same as spans of the program's trace (runtime/core/trace.hpp), on a lane "kernel loops" that begins
/// now. Nothing while no trace is written.
void trace_loops(const evidence& found);

} // namespace ke
