#pragma once

#include "runtime/core/problem.hpp"

#include <optional>
#include <string>

namespace ke::cli {

/// The problem of a command line: a problem.toml, its folder, or a KernelBench file. None: what is wrong stands on
/// stderr, a line each.
std::optional<problem> named_problem(const std::string& path);

/// The backend that runs its reference, unless one is named.
std::string backend_for(const problem& what, const std::string& named);

} // namespace ke::cli
