#include "runtime/text/filled_text.hpp"

#include <stdexcept>

namespace ke {

std::string filled_text(std::string_view text, const text_parts& parts) {
  std::string out;
  while (true) {
    auto begin = text.find("{{"), end = text.find("}}", begin);
    if (begin == text.npos || end == text.npos)
      return out += text;
    auto part = parts.find(text.substr(begin + 2, end - begin - 2));
    if (part == parts.end())
      throw std::out_of_range{"the text has no part " + std::string{text.substr(begin, end + 2 - begin)}};
    bool comment = text.substr(0, begin).ends_with("/*") && text.substr(end + 2).starts_with("*/");
    (out += text.substr(0, comment ? begin - 2 : begin)) += part->second;
    text.remove_prefix(comment ? end + 4 : end + 2);
  }
}

} // namespace ke
