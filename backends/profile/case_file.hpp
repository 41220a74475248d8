#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace ke {

/// Writes fresh inputs for one call, for ke-runner (format: runner_main.cpp). Values are drawn from `key` as
/// by the judge; `distribution` is one of the judge's.
status write_case(const std::filesystem::path& file, const problem& what,
                  const std::map<std::string, std::int64_t>& dims, const std::string& distribution,
                  std::uint64_t key);

} // namespace ke
