#pragma once

#include "backends/backend.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"

#include <vector>

namespace ke::cli {

/// `--dry-run`: what the campaign would do, its first prompt and its worst-case cost, on stdout. Starts no
/// request and writes nothing. `backend_paths`: where further documents may lie. The exit code.
int print_plan(const campaign_settings& settings, const problem& what, const std::vector<backend>& backends,
               const std::vector<std::string>& backend_paths);

} // namespace ke::cli
