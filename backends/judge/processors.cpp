#include "backends/judge/processors.hpp"

#include <algorithm>
#include <cstddef>
#include <sched.h>

namespace ke {

std::vector<int> cpus_for(std::int64_t count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        all.push_back(cpu);
  auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(1, count));
  if (all.size() > wanted)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(wanted));
  return all;
}

} // namespace ke
