#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ke {

/// Counts the instructions of each kernel in NVIDIA's own assembly by class, from a disassembly (cuobjdump
/// -sass), as static.sm_90.ENTRY.WHAT. Static counts, whatever the times a line runs:
///   insn.total      without NOP
///   insn.tensor     tensor cores: HGMMA, HMMA, IMMA, UTCHMMA...
///   insn.fp32, insn.fp64, insn.fp16   FMA, products and sums
///   insn.special    functions of the special unit: MUFU
///   insn.global_load, insn.global_store   LDG, STG; 128 bits wide of them in insn.global_wide
///   insn.async_copy   LDGSTS, UBLKCP, UTMALDG...: from global to shared memory without registers
///   insn.shared_load, insn.shared_store   LDS, LDSM, STS, STSM
///   insn.local      LDL, STL: spills and arrays that registers do not hold
///   insn.atomic, insn.barrier, insn.branch
/// `sm_90a` is `sm_90` here. At most 16 functions, with names of 64 bytes at most. Pure; never fails but finds
/// less.
std::map<std::string, double> sass_mix(std::string_view disassembly);

} // namespace ke
