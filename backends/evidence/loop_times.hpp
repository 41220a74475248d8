#pragma once

#include "backends/evidence/profile_result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

// Readings of time stamps at loops, for one call (profile/loop_ticks.hpp inserts them, cpu-cpp/ke_ticks.h
// takes them). Pure. The text comes from the candidate's process: readers are bounded and find less.

struct ticked_loop {
  int id = 0;
  std::string function;
  int line = 0; ///< of the source; 0: unknown
  int depth = 1;
};

/// Time of one call in a loop, without inner loops.
struct loop_time {
  ticked_loop loop;
  double turns = 0;
  double cycles = 0; ///< of the time stamp counter, without the ticks' own cost
  double share = 0;  ///< of all cycles between first and last tick
};
/// A span between two changes.
struct loop_span {
  ticked_loop loop;
  double begin_ns = 0, ns = 0; ///< since the first tick
};
struct loop_profile {
  std::vector<loop_time> loops; ///< most time first; those that ran
  std::vector<loop_span> spans;
  double cycles = 0;
};
/// Lines after the candidate's own output:
///   ke-ticks 2                     the last such line counts
///   at ID LINE DEPTH FUNCTION      a loop of the module
///   clock CYCLES NS                the counter against the clock
///   least CYCLES                   the least between two ticks: what one costs
///   loop ID TURNS CYCLES           a loop that ran
///   tick ID CYCLES                 the first changes to another loop, since the first
///   end CYCLES                     of the last of those
loop_profile read_ticks(std::string_view text);

/// Counters loop.share, loop.line and loop.turns of the loop with most time; the finding "loops".
profile_result shares_of(const loop_profile& profile);

/// The spans in the common schema (call_trace.hpp), named "line:6", or by the loop's function and number.
std::string trace_text(const loop_profile& profile);

/// For a person: "line 6 (depth 2): 54% of the time, 1.2e+06 turns of 3.1 cycles", at most `most` lines.
std::string describe_loops(const loop_profile& profile, std::size_t most);

} // namespace ke
