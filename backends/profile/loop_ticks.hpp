#pragma once

#include "backends/evidence/loop_times.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

// Inserts time stamps at loops, in the text of LLVM IR. After the optimiser: the loops that run are measured,
// not those written. As text: no compiler plug-in is needed for each version of LLVM (docs/decisions). Pure.

struct ticked_module {
  std::string text; ///< the module with the calls and their table; as it was if no loop was found
  std::vector<ticked_loop> loops;
};

/// Inserts a call of `ke_tick(id)` at each loop's head, and after the module a text `ke_loop_table` that
/// names the loops (lines "at ID LINE DEPTH FUNCTION", see loop_times.hpp). Heads are the targets of back
/// edges in each function's flow graph. At most `most` loops. The text is untrusted: bounded, finds less.
ticked_module insert_ticks(std::string_view ir, std::size_t most = 200);

} // namespace ke
