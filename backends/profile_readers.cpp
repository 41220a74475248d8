#include "backends/profile_readers.hpp"

#include "backends/instruction_mix.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace ke {
namespace {

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::map<std::string, double> name_value(std::string_view text) {
  constexpr std::size_t most = 256, longest = 64;
  std::map<std::string, double> found;
  while (!text.empty() && found.size() < most) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto equals = line.find('=');
    if (equals == std::string_view::npos)
      continue;
    auto name = trimmed(line.substr(0, equals));
    std::string number{trimmed(line.substr(equals + 1))};
    char* end = nullptr;
    double value = std::strtod(number.c_str(), &end);
    if (!name.empty() && name.size() <= longest && !number.empty() && *end == '\0' && std::isfinite(value))
      found.emplace(name, value);
  }
  return found;
}

constexpr std::pair<std::string_view, profile_reader> readers[] = {
    {"instruction-mix", instruction_mix},
    {"name-value", name_value},
};

} // namespace

profile_reader find_profile_reader(std::string_view name) {
  for (const auto& [known, reader] : readers)
    if (known == name)
      return reader;
  return nullptr;
}

std::vector<std::string> profile_reader_names() {
  std::vector<std::string> names;
  for (const auto& [known, reader] : readers)
    names.emplace_back(known);
  return names;
}

} // namespace ke
