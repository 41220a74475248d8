#pragma once

#include "runtime/core/source_tokens.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ke {

/// What changed from one source to the next, as a unified diff of at most `limit` bytes in whole lines, for a
/// reader who is to do the like elsewhere. A diff that is short is given as it is. Of a longer one comes
/// first what changed in the function or class `entry`, which the problem asks for, then in what that uses,
/// nearest first and loops before the rest; definitions that found no room are named in one line. What is
/// still too long loses lines of the old version, then lines that only repeat others, then lines in its
/// middle. Both sources are without comments. Pure.
std::string skill_change(std::string_view before, std::string_view after, std::string_view entry,
                         source_language language, std::size_t limit);

} // namespace ke
