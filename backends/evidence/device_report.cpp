#include "backends/evidence/device_report.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ke {

std::string short_name(const nvidia_device& d) {
  std::istringstream words{d.name};
  for (std::string word; words >> word;) {
    bool model = word.size() >= 2 && std::isupper(static_cast<unsigned char>(word[0])) &&
                 std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!model)
      continue;
    word = word.substr(0, word.find('-'));
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    return "nvidia-" + word;
  }
  return "nvidia-" + d.arch;
}

} // namespace ke
