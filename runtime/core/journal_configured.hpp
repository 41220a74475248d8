#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/settings.hpp"

#include <string>
#include <vector>

namespace ke {

/// The campaign begins, or its settings changed (`set`, a new config on resume).
struct journal_configured {
  campaign_settings settings;
  std::string problem_digest;     ///< blob: pack(problem)
  std::vector<std::string> trees; ///< backend of each tree
  std::string version;
};
KE_FIELDS(journal_configured, x.settings, x.problem_digest, x.trees, x.version)

} // namespace ke
