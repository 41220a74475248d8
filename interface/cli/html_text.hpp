#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ke::cli {

/// Text for HTML and XML, as content or in a quoted attribute. Escapes markup; bytes that are not UTF-8 and
/// control characters become U+FFFD, so any candidate's bytes are safe. Pure.
std::string html_text(std::string_view text);

/// The page with each {{name}} replaced by its part, in one pass: what a part holds is not looked at. A name without a
/// part is a mistake in the page: std::out_of_range. Pure.
std::string filled_page(std::string_view page, const std::map<std::string, std::string, std::less<>>& parts);

} // namespace ke::cli
