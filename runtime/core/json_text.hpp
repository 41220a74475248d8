#pragma once

#include <string>
#include <string_view>

namespace ke {

/// The text as a JSON string with its quotes, for writers of lines that must not pull in a JSON library.
/// Bytes that are not UTF-8 become U+FFFD, so that the output is always valid JSON.
std::string json_text(std::string_view text);

} // namespace ke
