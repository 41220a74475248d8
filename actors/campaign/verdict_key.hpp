#pragma once

#include "runtime/core/device_info.hpp"
#include "runtime/core/measure_plan.hpp"

#include <string>

namespace ke {

/// The key of `verdicts`: equal where the verdict must be. Pure.
std::string verdict_key(const std::string& problem_digest, const std::string& normalised_digest,
                        const device_info& device, measure_plan plan, bool timed);

} // namespace ke
