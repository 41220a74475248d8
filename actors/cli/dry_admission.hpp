#pragma once

#include "backends/backend.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"

#include <string>
#include <vector>

namespace ke::cli {

/// What `--dry-run` can say on this machine of the question that a campaign asks before its first paid call:
/// can candidates be judged? Lints the problem and measures its reference as a candidate, for each target
/// whose device is here; of the others it says that they were not tried. Prints what it found on stdout. The
/// exit code: 0, or that of a usage error if the problem is unfit, which is told on stderr.
int try_admission(const campaign_settings& settings, const problem& what,
                  const std::vector<backend>& backends, const std::string& sandbox,
                  const std::vector<std::string>& backend_paths);

} // namespace ke::cli
