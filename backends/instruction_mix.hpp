#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ke {

/// Counts from a disassembly (objdump -d) of a shared object: instructions of the candidate's own functions
/// by class. Static counts, not weighted by how often a line runs; names: insn.total, insn.vector,
/// insn.scalar_fp, insn.fma, insn.branch, insn.call, insn.max_vector_bits. Pure.
std::map<std::string, double> instruction_mix(std::string_view disassembly);

} // namespace ke
