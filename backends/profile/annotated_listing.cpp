#include "backends/profile/annotated_listing.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace ke {
namespace {

constexpr std::size_t most_annotated = 4u << 20;

/// "  1139:\tpush %rbp": where it lies; false: no instruction.
bool address_of(std::string_view line, std::uint64_t& at) {
  auto colon = line.find(":\t");
  if (colon == std::string_view::npos || colon > 24)
    return false;
  std::string hex{line.substr(0, colon)};
  char* end = nullptr;
  at = std::strtoull(hex.c_str(), &end, 16);
  return end != hex.c_str() && *end == '\0';
}

/// "0000000000001139 <kernel>:"
bool begins_function(std::string_view line) {
  return line.ends_with(">:") && line.find('<') != std::string_view::npos;
}

std::string percent(double share) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%6.2f%% ", 100 * share);
  return text.data();
}

} // namespace

std::string annotated_listing(std::string_view disassembly,
                              const std::vector<std::pair<std::uint64_t, double>>& places, double samples) {
  const std::map<std::uint64_t, double> at_place(places.begin(), places.end());
  std::string out, function;
  double of_function = 0;
  auto finish = [&] {
    if (of_function > 0 && out.size() < most_annotated)
      out += percent(of_function / samples) + function + '\n';
    function.clear();
    of_function = 0;
  };
  while (samples > 0 && !disassembly.empty()) {
    auto line = disassembly.substr(0, disassembly.find('\n'));
    disassembly.remove_prefix(std::min(line.size() + 1, disassembly.size()));
    std::uint64_t at = 0;
    if (begins_function(line)) {
      finish();
      function = std::string{line} + '\n';
    } else if (address_of(line, at)) {
      auto seen = at_place.find(at);
      of_function += seen == at_place.end() ? 0 : seen->second;
      function += (seen == at_place.end() ? std::string(8, ' ') : percent(seen->second / samples)) +
                  std::string{line} + '\n';
    }
  }
  finish();
  return out;
}

} // namespace ke
