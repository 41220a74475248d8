#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>

namespace ke::cli {

/// Writes a file for the user: replaced as a whole, with permissions by the user's umask (the store's own
/// files are private). `executable`: a script. `invalid` with path and cause. One thread (umask).
status write_output(const std::string& path, std::string_view bytes, bool executable = false);

} // namespace ke::cli
