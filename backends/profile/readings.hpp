#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

// What was seen of a process, and what profiling tools printed, as named numbers. The texts come from
// programs that read or ran a candidate: readers are bounded and never fail, and skip what they don't know.
// Pure.

/// Where the main thread was seen.
struct run_profile {
  /// Of the samples: share.object, share.math, share.openmp, share.other.
  std::map<std::string, double> counters;
  std::vector<std::pair<std::uint64_t, double>> places; ///< offset in the object, samples
  double samples = 0;
  /// System library -> offsets in it and their samples. Other files are left out: a candidate chooses their
  /// names.
  std::map<std::string, std::map<std::uint64_t, double>> libraries;
};
/// From addresses and /proc/PID/maps of the process. `object`: the candidate's path inside.
run_profile read_places(const std::vector<std::uint64_t>& addresses, std::string_view maps,
                        std::string_view object);

/// The totals that callgrind reports: cg.Ir, cg.Dr, cg.Dw, cg.I1mr, cg.D1m, cg.LLm (data misses of
/// the first and the last level, reads and writes), cg.Bc, cg.Bcm...
std::map<std::string, double> read_callgrind(std::string_view text);

/// llvm-mca's summary and bottleneck analysis of one loop: mca.cycles (per iteration), mca.throughput (cycles
/// per iteration without dependencies), mca.ipc, mca.uops (per iteration), mca.dependencies,
/// mca.memory_dependencies and mca.resources (share of the cycles, 0..1).
std::map<std::string, double> read_mca(std::string_view text);

/// `perf stat -x,`: hw.cycles, hw.instructions, hw.branch-misses...; only what was counted.
std::map<std::string, double> read_perf(std::string_view text);

/// The compiler's remarks on loops that it did not vectorise (g++ -fopt-info-vec-missed, clang
/// -Rpass-missed=loop-vectorize): lines "12: reason", at most `most`, of `file` only.
std::vector<std::string> missed_loops(std::string_view text, std::string_view file, std::size_t most);

} // namespace ke
