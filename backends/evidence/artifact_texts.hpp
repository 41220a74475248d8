#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ke {

// What tools printed about one candidate, by file name, for people and their own tools. The texts are a candidate's
// words: nothing here reads them. They are stored with the evidence, so they are bounded. Pure.

inline constexpr std::size_t most_artifact_bytes = 256u << 10; ///< of one text
inline constexpr std::size_t most_artifacts_bytes = 1u << 20;  ///< of all texts of one evidence
inline constexpr std::size_t most_artifacts = 32;

/// Adds a text unless it is empty, or one of this name is there. One that is too long for the bounds, or for what the
/// others have left of them, ends with the last whole line that has room, and a line that says that it was cut.
void keep_artifact(std::map<std::string, std::string>& kept, const std::string& name, std::string_view text);

/// Whether these could have been kept by `keep_artifact`.
bool within_bounds(const std::map<std::string, std::string>& kept);

} // namespace ke
