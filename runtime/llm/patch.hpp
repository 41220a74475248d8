#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// One edit of an answer: lines of the parent, and the lines in their place.
struct search_replace {
  std::string search;
  std::string replace;
};

/// The blocks of an answer, fenced or not, in order:
///     <<<<<<< SEARCH
///     =======
///     >>>>>>> REPLACE
/// Markers begin a line and have at least five signs. `no_code`, with the number, for a block that is not
/// closed. Empty if there is none. Pure.
result<std::vector<search_replace>> edits_of(std::string_view answer);

/// `source` after all edits, one after the other. Each searched text must occur exactly once; trailing blanks
/// of lines don't count. `no_code` says which edit failed and why, in words for the model's next prompt.
/// Pure.
result<std::string> apply_edits(std::string_view source, const std::vector<search_replace>& edits);

} // namespace ke
