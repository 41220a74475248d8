#pragma once

#include "backends/evaluation/backend.hpp"

#include <string>
#include <vector>

namespace ke {
struct campaign_settings;
struct problem;
} // namespace ke

namespace ke::cli {

/// `--dry-run`'s answer to a campaign's question before its first paid call: can candidates be judged? For
/// each target with a device here, lints the problem and measures the reference as a candidate; lists the
/// other targets as not tried. Prints to stdout. Returns 0, or the usage error's code if the problem is
/// unfit, and says why on stderr.
int try_admission(const campaign_settings& settings, const problem& what,
                  const std::vector<backend>& backends, const std::string& sandbox,
                  const std::vector<std::string>& backend_paths);

} // namespace ke::cli
