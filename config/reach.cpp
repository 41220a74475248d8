#include "config/reach.hpp"

namespace ke {

std::vector<std::string> keys_that_reach_out(const campaign_settings& settings) {
  std::vector<std::string> keys;
  for (const auto& m : settings.models) {
    auto at = "model." + m.name + ".";
    if (auto place = traits_of(m.provider).place;
        place == provider_place::program || place == provider_place::folder)
      keys.push_back(at + "provider = \"" + std::string{to_text(m.provider)} + "\"");
    // Told for every provider: what reads them today is no promise for tomorrow.
    if (!m.command.empty())
      keys.push_back(at + "command");
    if (!m.dir.empty())
      keys.push_back(at + "dir");
    if (!m.api_key_env.empty())
      keys.push_back(at + "api_key_env");
  }
  if (!settings.embeddings.api_key_env.empty())
    keys.emplace_back("knowledge.embeddings.api_key_env");
  return keys;
}

} // namespace ke
