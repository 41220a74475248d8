#pragma once

#include "runtime/core/loopback.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// The host of "http://host:port/path", "tcp://host:port" or "host:port", without brackets; nothing for any
/// other text.
std::optional<std::string> host_of_url(std::string_view url); ///< http or https, without a user or password
std::optional<std::string> host_of_listen(std::string_view endpoint); ///< "host:port"; the port may be 0 or *

} // namespace ke
