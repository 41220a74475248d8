#include "runtime/text/csv_text.hpp"

#include <cstdio>

namespace ke {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string out = "\"";
  for (char c : text)
    out += c == '"' ? "\"\"" : std::string{c};
  return out + "\"";
}

std::string csv_number(std::optional<double> x) {
  if (!x)
    return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", *x);
  return text;
}

} // namespace ke
