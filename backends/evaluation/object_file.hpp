#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ke {

// Built objects, read as ELF64 shared objects. They come from a candidate's source: every read is
// bounds-checked.

/// Undefined dynamic symbols; empty for any other file.
std::vector<std::string> undefined_symbols(const std::filesystem::path& object);

/// For each address, the dynamic symbol of the function around it; empty: none.
std::vector<std::string> functions_at(const std::filesystem::path& object,
                                      const std::vector<std::uint64_t>& addresses);

/// Digest of the object's loaded memory: allocated sections with names, places and contents, without notes
/// (the build id). Equal for sources that compile to the same code; symbol tables and debugging information
/// don't count. Empty for any other file.
std::string object_digest(const std::filesystem::path& object);

} // namespace ke
