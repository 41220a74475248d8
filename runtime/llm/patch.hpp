#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One edit of an answer: lines that stand in the parent, and the lines in their place.
struct search_replace {
  std::string search;
  std::string replace;
};

/// The blocks
///     <<<<<<< SEARCH
///     =======
///     >>>>>>> REPLACE
/// of an answer, fenced or not, in their order; markers begin a line and have at least five signs. `no_code`
/// for a block that is not closed, with its number. Empty if there is none. Pure.
result<std::vector<search_replace>> edits_of(std::string_view answer);

/// `source` after all edits, one after the other. Each searched text must occur exactly once; trailing blanks
/// of lines don't count. `no_code` tells which edit failed and why, fit for the model's next prompt. Pure.
result<std::string> apply_edits(std::string_view source, const std::vector<search_replace>& edits);

} // namespace ke
