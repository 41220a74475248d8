#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ke {

/// The text as a JSON string with its quotes, for writers that must not pull in a JSON library. Bytes that
/// are not UTF-8 become U+FFFD, so the output is always valid JSON.
std::string json_text(std::string_view text);

/// Whether the bytes are UTF-8 (RFC 3629) without control characters, and at most `most`: fit to be shown as
/// a name on a terminal.
bool is_plain_text(std::string_view text, std::size_t most);

/// The text for a terminal: line ends and tabs stay; each other control character, and each byte that is not UTF-8,
/// becomes a question mark.
std::string printable(std::string_view text);

} // namespace ke
