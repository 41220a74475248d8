#pragma once

#include "runtime/core/fields.hpp"

#include <map>
#include <string>

namespace ke {

struct device_info {
  std::string name;         ///< what `[[target]] device` matches, e.g. "cpu:AMD EPYC"
  std::string backend;      ///< one entry per backend that can use it
  std::string state = "ok"; ///< ok | quarantined
  /// Target facts of the prompt: isa, cores, caches, compiler, digests.
  std::map<std::string, std::string> facts;
};
KE_FIELDS(device_info, x.name, x.backend, x.state, x.facts)

} // namespace ke
