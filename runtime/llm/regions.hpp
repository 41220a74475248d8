#pragma once

#include "runtime/core/result.hpp"

#include <string_view>

namespace ke {

/// A source may say what of it may change: lines that hold `ke-mutable: begin` and `ke-mutable: end`, each in a
/// comment. Everything else, these lines too, stays as it is, but for trailing blanks and empty lines.
inline constexpr std::string_view region_mark = "ke-mutable:";

/// Whether `source` keeps to the regions of `parent`. `markers` says in one sentence what is wrong: a marker
/// that is missing, out of order or new, or the first line outside of a region that has changed. A parent
/// without markers, or whose own are out of order, allows everything. Pure; O(text).
status check_regions(std::string_view parent, std::string_view source);

} // namespace ke
