#pragma once

#include <map>
#include <string>
#include <vector>

namespace ke {

/// Times of this host's fixed kernels now, in ns, the fastest of some looks: `arithmetic.N` (multiplications and
/// additions that keep a core's units busy) and `memory.N` (every line of a buffer larger than a core's own caches is read), each on one of these
/// processors and on all of them at once, N threads. The judge's own code, on threads of its own: nothing that is measured
/// may run. Some 30 ms.
std::map<std::string, double> host_sentinel(const std::vector<int>& cpus);

} // namespace ke
