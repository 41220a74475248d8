#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The unified diff of two texts, with `context` lines around each change and headers naming `a_name` and
/// `b_name`; empty if they are equal. A shortest edit script (Myers 1986) up to some thousand differing
/// lines; beyond that, a middle part is shown as replaced whole. Pure.
std::string unified_diff(std::string_view a, std::string_view b, const std::string& a_name,
                         const std::string& b_name, std::size_t context = 3);

/// One line of an edit script; `line` is a view into one of the texts.
struct line_edit {
  char kind = ' '; ///< ' ' in both, '-' in the first only, '+' in the second only
  std::string_view line;
};
std::vector<line_edit> line_edits(std::string_view a, std::string_view b);

} // namespace ke
