#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace ke {

struct evidence;

/// Which call is looked at again.
struct case_choice {
  std::map<std::string, std::int64_t> dims;
  std::string distribution = "init";
  std::uint32_t workload = 0; ///< of one that was right: the one with the longest call
  double call_s = 0;          ///< and the time of that call; 0: nothing was timed
};

/// Of a candidate that crashed the case that it crashed on, else the workload with the longest call. None: the evidence
/// names none. Pure.
std::optional<case_choice> case_of(const evidence& found, const problem& what);

/// Writes fresh inputs for one call, for ke-runner and ke-device-runner (format: case_arguments.hpp). Values are drawn from `key` as
/// by the judge; `distribution` is one of the judge's.
status write_case(const std::filesystem::path& file, const problem& what,
                  const std::map<std::string, std::int64_t>& dims, const std::string& distribution,
                  std::uint64_t key);

} // namespace ke
