#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// Two lower-case hexadecimal digits for each byte.
std::string to_hex(std::string_view bytes);

/// The bytes of lower-case hexadecimal text; nothing if a digit is none or the last one stands alone.
std::optional<std::string> from_hex(std::string_view text);

} // namespace ke
