#pragma once

#include <string_view>

namespace ke {

/// What helps against the cause of a bottleneck (backends/verdict/diagnosis.hpp), as a part of a sentence. Empty: nothing
/// is known of it. Pure.
std::string_view remedy_of(std::string_view cause);

} // namespace ke
