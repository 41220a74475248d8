#pragma once

#include "runtime/core/source_tokens.hpp"

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

/// What a source defines at its top level, in its order; namespaces and `extern "C" { }` are looked into, and
/// what has no name (includes, pragmas, imports) is left out. By brackets and words alone, without a parser:
/// it is a guess for what is shown, and never decides whether something is right. The source has no comments
/// (without_comments). Of names, at most `most_definitions` are told apart; the rest is left out. Pure; cost
/// O(text x longest line).
inline constexpr std::size_t most_definitions = 500;
std::vector<definition> definitions_in(std::string_view source, source_language language);

} // namespace ke
