#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/search/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ke {

/// What one attempt should try, so that attempts that are asked at the same time differ by design and not by
/// luck: features.md C43. `number` counts the drafts of a tree, or the children of one parent; the list is
/// gone through in its order and then again. `bottleneck` is the parent's, empty if it has none; ignored for
/// drafts. Empty for a fix: its direction is the failure. One sentence. Pure.
std::string_view direction_of(operation_kind operation, bool python, std::string_view bottleneck,
                              std::uint32_t number);

} // namespace ke
