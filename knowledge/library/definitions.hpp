#pragma once

#include "runtime/text/source_tokens.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One thing that a source defines at its top level.
struct definition {
  std::string name; ///< of a function, class, constant, alias or macro
  std::string text; ///< its whole lines; of overloads, one after the other
};

/// What a source defines at top level, in order. Looks into namespaces and `extern "C" { }`; leaves out what
/// has no name (includes, pragmas, imports). By brackets and words, without a parser: a guess, for display
/// only; never decides whether something is right. The source has no comments (without_comments). At most
/// `most_definitions` names; the rest is left out. Pure; O(text x longest line).
inline constexpr std::size_t most_definitions = 500;
std::vector<definition> definitions_in(std::string_view source, source_language language);

} // namespace ke
