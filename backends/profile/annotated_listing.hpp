#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// A disassembly (objdump -d) of the functions that samples fell into, the share of all samples before each
/// instruction, as `perf annotate` prints it. From the places of samples (offset in the object, count), of
/// `samples` in all. Empty: none fell into the object. Pure.
std::string annotated_listing(std::string_view disassembly,
                              const std::vector<std::pair<std::uint64_t, double>>& places, double samples);

} // namespace ke
