#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ke {

// Built objects, read as ELF64 shared objects. They are made of a candidate's source: every read is
// bounds-checked.

/// Undefined dynamic symbols. Empty if it is no such object.
std::vector<std::string> undefined_symbols(const std::filesystem::path& object);

/// For each address the dynamic symbol of the function that it lies in; empty where none does.
std::vector<std::string> functions_at(const std::filesystem::path& object,
                                      const std::vector<std::uint64_t>& addresses);

/// Digest of what the object puts into memory when it is loaded: its allocated sections with their names,
/// places and contents, notes (the build id) left out. Equal for sources that the compiler makes the same
/// code of; symbol tables and debugging information don't count. Empty if it is no such object.
std::string object_digest(const std::filesystem::path& object);

} // namespace ke
