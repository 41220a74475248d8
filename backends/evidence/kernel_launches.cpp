#include "backends/evidence/kernel_launches.hpp"

#include "backends/evidence/call_trace.hpp"

#include <sstream>

namespace ke {

std::string launches_in(std::string_view summary) {
  constexpr std::size_t most_bytes = 64u << 10;
  constexpr int most = 8;
  std::istringstream lines{std::string{summary.substr(0, most_bytes)}};
  std::string told;
  bool noted = false;
  int kernels = 0;
  for (std::string line; std::getline(lines, line) && line != "timeline";) {
    std::istringstream words{line};
    std::string key, name;
    unsigned long count = 0, programs = 0;
    noted = noted || line == "launched";
    if (!noted || !(words >> key >> count >> programs >> name) || key != "launch" || !is_plain_name(name) ||
        ++kernels > most)
      continue;
    told += (told.empty() ? "" : ", ") + name + ": " + std::to_string(count) +
            (count == 1 ? " launch" : " launches") + " of " + std::to_string(programs) +
            (programs == 1 ? " program" : " programs");
  }
  if (kernels > most)
    told += ", and others";
  return noted && told.empty() ? "none: it launched no kernel of its own" : told;
}

} // namespace ke
