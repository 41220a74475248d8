#include "backends/evidence/static_metrics.hpp"

#include "backends/evidence/call_trace.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace ke {

std::map<std::string, double> static_metrics(std::string_view text) {
  constexpr std::size_t most = 1024;
  std::map<std::string, double> found;
  while (!text.empty() && found.size() < most) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto equals = line.find(" = ");
    if (equals == std::string_view::npos)
      continue;
    auto name = line.substr(0, equals);
    std::string number{line.substr(equals + 3)};
    char* end = nullptr;
    double value = std::strtod(number.c_str(), &end);
    if (name.starts_with(counter_keys::static_of) && is_plain_name(name) && !number.empty() && *end == '\0' &&
        std::isfinite(value) && value >= 0)
      found.emplace(name, value);
  }
  return found;
}

} // namespace ke
