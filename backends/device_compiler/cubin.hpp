#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The kernels in compiled code for NVIDIA's devices (ELF64), by their symbols, in the order of the file; empty
/// for any other bytes. They come from a candidate's source: every read is bounds-checked. Pure.
std::vector<std::string> entries_of(std::string_view cubin);

} // namespace ke
