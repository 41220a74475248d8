#pragma once

#include "backends/evidence/device_object.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// Grid, block and dynamic shared memory of these launches as numbers, seven a launch (device_words.hpp), for dims
/// and scalars of these values. A grid of nothing is left to the driver, which launches nothing. `invalid` names
/// the launch and what is wrong with it. Pure.
result<std::vector<std::uint64_t>> launch_values(const std::vector<declared_launch>& launches,
                                                 const std::map<std::string, std::int64_t>& symbols);

} // namespace ke
