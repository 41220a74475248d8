#pragma once

#include <map>
#include <string>

namespace ke {

// What is known of compiled code without running it: counters static.ARCHITECTURE.ENTRY.WHAT, as readers of compilers'
// texts leave them in the evidence (backends/evidence/assembler_words.hpp). Pure.

/// "kernel: 32 registers, no spills, 8192 bytes of static shared memory" for each entry, in order of their
/// names; empty: nothing is known.
std::string static_summary(const std::map<std::string, double>& counters);

/// Those whose names begin so, without it.
std::map<std::string, double> counters_below(const std::map<std::string, double>& counters,
                                             const std::string& begin);

/// The static ones, without the word `static`.
std::map<std::string, double> static_figures(const std::map<std::string, double>& counters);

} // namespace ke
