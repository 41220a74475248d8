#pragma once

#include <cstdint>
#include <vector>

namespace ke {

/// The CPUs that this process may use; at most `count` of them, the highest ones.
std::vector<int> cpus_for(std::int64_t count);

} // namespace ke
