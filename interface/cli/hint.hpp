#pragma once

#include "runtime/core/result.hpp"

#include <string_view>

namespace ke::cli {

/// Whether this text may enter prompts as a hint. `invalid`: blank, not UTF-8, or longer than a prompt shows.
/// Pure.
status check_hint(std::string_view text);

} // namespace ke::cli
