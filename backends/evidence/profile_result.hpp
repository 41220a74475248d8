#pragma once

#include "runtime/core/fields.hpp"

#include <map>
#include <string>

namespace ke {

/// What ke-profiler writes to stdout: additions to the evidence.
struct profile_result {
  std::map<std::string, double> counters;
  std::map<std::string, std::string> findings;
};
KE_FIELDS(profile_result, x.counters, x.findings)

} // namespace ke
