#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ke {

/// The parts of a text by the names of its places.
using text_parts = std::map<std::string, std::string, std::less<>>;

/// The text with each place replaced by its part, in one pass: what a part holds is not looked at. A place is {{name}},
/// or /*{{name}}*/ where the text is C++ that compiles without its parts. A place without a part is a mistake in the
/// text: std::out_of_range. Pure.
std::string filled_text(std::string_view text, const text_parts& parts);

} // namespace ke
