#pragma once

#include <string>
#include <string_view>

namespace ke::cli {

/// Text for HTML and XML, as content or in a quoted attribute. Escapes markup; bytes that are not UTF-8 and
/// control characters become U+FFFD, so any candidate's bytes are safe. Pure.
std::string html_text(std::string_view text);

} // namespace ke::cli
