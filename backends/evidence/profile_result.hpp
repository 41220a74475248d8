#pragma once

#include "runtime/core/fields.hpp"

#include <map>
#include <string>

namespace ke {

/// What ke-profiler writes to stdout, and what readers make of a tool's words: additions to the evidence.
struct profile_result {
  std::map<std::string, double> counters;
  std::map<std::string, std::string> findings;
  std::map<std::string, std::string> artifacts; ///< as those of the evidence
};
KE_FIELDS(profile_result, x.counters, x.findings, x.artifacts)

} // namespace ke
