#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ke {

/// What NVIDIA's assembler says of each kernel that it compiles (ptxas -v), by architecture and entry:
///   static.sm_90.kernel.registers       of a thread
///   static.sm_90.kernel.spill_bytes     stored and loaded by the code of a thread, together
///   static.sm_90.kernel.stack_bytes     of a thread
///   static.sm_90.kernel.shared_bytes    of a block, without what the launch adds
///   static.sm_90.kernel.barriers        of a block
/// `sm_90a`, code for this very architecture, is `sm_90` here. The words of functions that are called belong to no
/// entry. At most 16 entries, with names of 64 bytes at most. Pure; never fails but finds less.
std::map<std::string, double> assembler_counters(std::string_view words);

} // namespace ke
