#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ke {

/// Counts instructions of the candidate's own functions by class, from a disassembly (objdump -d) of a shared
/// object. Static counts, whatever the times a line runs. Names: insn.total, insn.vector, insn.scalar_fp,
/// insn.fma, insn.branch, insn.call, insn.max_vector_bits. Pure.
std::map<std::string, double> instruction_mix(std::string_view disassembly);

} // namespace ke
