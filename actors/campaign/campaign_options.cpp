#include "actors/campaign/campaign_options.hpp"

#include <algorithm>

namespace ke {

std::vector<std::string> trees_of(const campaign_settings& settings) {
  std::vector<std::string> trees;
  for (const auto& t : settings.targets)
    if (std::find(trees.begin(), trees.end(), t.backend) == trees.end())
      trees.push_back(t.backend);
  return trees;
}

} // namespace ke
