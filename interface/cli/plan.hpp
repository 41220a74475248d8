#pragma once

#include "backends/evaluation/backend.hpp"

#include <string>
#include <vector>

namespace ke {
struct campaign_settings;
struct problem;
} // namespace ke

namespace ke::cli {

/// `--dry-run`: prints what the campaign would do, its first prompt and its worst-case cost. Sends no
/// request, writes nothing. `origins`: where the settings come from (config/layers.hpp). `backend_paths`:
/// folders with further documents. Returns the exit code.
int print_plan(const campaign_settings& settings, const std::string& origins, const problem& what,
               const std::vector<backend>& backends, const std::vector<std::string>& backend_paths);

} // namespace ke::cli
