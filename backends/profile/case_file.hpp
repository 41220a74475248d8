#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace ke {

/// Writes fresh inputs for one call, for ke-runner (format: runner_main.cpp). `distribution` is one of the
/// judge's; values are drawn as the judge draws them, from `key`.
status write_case(const std::filesystem::path& file, const problem& what,
                  const std::map<std::string, std::int64_t>& dims, const std::string& distribution,
                  std::uint64_t key);

} // namespace ke
