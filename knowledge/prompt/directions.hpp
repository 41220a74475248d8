#pragma once

#include "runtime/search/index/tree_index.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ke {

/// What candidates are made of.
enum class direction_style : std::uint8_t {
  native, ///< loops on a CPU
  python, ///< operators of PyTorch on a CPU
  device  ///< kernels of a GPU, in whatever language
};

/// The direction for one attempt, so that simultaneous attempts differ by design, not by luck (features.md
/// C43). `number` counts a tree's drafts, or one parent's children, through a list in order, again and again.
/// `family`: the problem's; drafts on a device have lists of their own for some. `bottleneck`: the parent's, empty if
/// none; ignored for drafts. Empty for a fix: the failure is its
/// direction. One sentence. Pure.
std::string_view direction_of(operation_kind operation, direction_style style, std::string_view family,
                              std::string_view bottleneck, std::uint32_t number);

} // namespace ke
