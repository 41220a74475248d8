#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

// Time stamps at loops, put in at the level of LLVM IR: after the optimiser, so that what is measured are the
// loops that run, not those that were written; as text, so that no compiler plug-in has to be built for each
// version of LLVM (docs/decisions). Pure.

/// A loop that got a call of `ke_tick(id)` at its head.
struct ticked_loop {
  int id = 0;
  std::string function;
  int line = 0; ///< of the source; 0: unknown
  int depth = 1;
};

struct ticked_module {
  std::string text; ///< the module with the calls; as it was if no loop was found
  std::vector<ticked_loop> loops;
};

/// The heads are the targets of back edges in each function's flow graph. At most `most` loops.
ticked_module insert_ticks(std::string_view ir, std::size_t most = 200);

/// C++ that defines `ke_tick`, `ke_ticks_reset` and `ke_ticks_print`: each tick charges the time since the
/// last one to the loop of that one; the first ones are kept with their times. One thread.
std::string tick_runtime();

/// What one call spent in a loop, inner loops not counted.
struct loop_time {
  ticked_loop loop;
  double turns = 0;
  double cycles = 0; ///< of the time stamp counter, the ticks' own cost taken off
  double share = 0;  ///< of all cycles between first and last tick
};
/// A stretch between two ticks.
struct loop_span {
  int id = 0;
  double begin = 0, length = 0; ///< cycles of the time stamp counter since the first tick
};
struct loop_profile {
  std::vector<loop_time> loops; ///< most time first; those that ran
  std::vector<loop_span> spans;
  double cycles = 0;
};
/// From what `ke_ticks_print` wrote. Untrusted text: bounded, finds less.
loop_profile read_ticks(std::string_view text, const std::vector<ticked_loop>& loops);

/// The spans as findings carry them: lines "NAME begin length", in cycles of the time stamp counter; NAME is
/// "line:6" or the loop's function and number. backends/loop_trace.hpp reads it.
std::string trace_text(const loop_profile& profile, const std::vector<ticked_loop>& loops);

/// For a person: "line 6 (depth 2): 54% of the time, 1.2e+06 turns of 3.1 cycles", at most `most` lines.
std::string describe_loops(const loop_profile& profile, std::size_t most);

} // namespace ke
