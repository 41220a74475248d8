#pragma once

#include "backends/loop_times.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

// Time stamps at loops, put in at the level of LLVM IR: after the optimiser, so that what is measured are the
// loops that run, not those that were written; as text, so that no compiler plug-in has to be built for each
// version of LLVM (docs/decisions). Pure.

struct ticked_module {
  std::string text; ///< the module with the calls and their table; as it was if no loop was found
  std::vector<ticked_loop> loops;
};

/// Puts a call of `ke_tick(id)` at each loop's head, and behind the module a text `ke_loop_table` that says
/// which loop is which (lines "at ID LINE DEPTH FUNCTION", see loop_times.hpp). The heads are the targets of
/// back edges in each function's flow graph. At most `most` loops. The text is untrusted: bounded, finds
/// less.
ticked_module insert_ticks(std::string_view ir, std::size_t most = 200);

} // namespace ke
