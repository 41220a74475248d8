#pragma once

#include "runtime/text/source_tokens.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ke {

/// The change from one source to the next, as a unified diff of at most `limit` bytes in whole lines, for a
/// reader who is to do likewise elsewhere. A short diff is given as it is. Of a longer one come first the
/// changes in the function or class `entry` that the problem asks for. Then come the definitions that it
/// uses, nearest first, loops before the rest. One line names those without room. If still too long it loses
/// lines of the old version, then lines that only repeat others, then lines in the middle. Both sources are
/// without comments. Pure.
std::string skill_change(std::string_view before, std::string_view after, std::string_view entry,
                         source_language language, std::size_t limit);

} // namespace ke
