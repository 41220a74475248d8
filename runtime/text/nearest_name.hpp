#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The name that `typo` most likely stands for (edit distance with swaps, at most a third of the length + 1);
/// nothing if none is near.
std::string nearest_name(std::string_view typo, const std::vector<std::string>& names);

/// ` (did you mean "x"?)`, or nothing.
std::string did_you_mean(std::string_view typo, const std::vector<std::string>& names);

} // namespace ke
