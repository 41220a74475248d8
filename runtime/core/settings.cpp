#include "runtime/core/settings.hpp"

#include <algorithm>

namespace ke {

std::uint64_t prompt_budget(const campaign_settings& settings, const std::string& model) {
  constexpr std::int64_t least = 1024;
  for (const auto& m : settings.models)
    if (m.name == model && !traits_of(m.provider).task_only)
      return static_cast<std::uint64_t>(std::max(m.context_tokens - m.max_tokens, least));
  return 0;
}

} // namespace ke
