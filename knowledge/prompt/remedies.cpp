#include "knowledge/prompt/remedies.hpp"

namespace ke {
namespace {

struct remedy {
  std::string_view cause, what;
};

constexpr remedy remedies[] = {
    {"bandwidth",
     "moving fewer bytes: each input read once and each result written once, passes fused, what lies between "
     "them kept in registers or in a near cache"},
    {"cache_bandwidth",
     "doing more with each value while it is in a register: several passes in one, blocks for the first "
     "level"},
    {"gather", "fewer lines for the same elements: places visited in an order in which neighbours come "
               "together, what the "
               "next indices name prefetched; a gather instruction saves no misses"},
    {"strided_reads", "using a line whole while it is there: loops exchanged, or blocks as wide as a line"},
    {"strided_writes",
     "writing whole lines: loops exchanged, or blocks that are turned in registers or in the first level"},
    {"reuse", "tiles, so that what is used again is still in the cache"},
    {"math_functions",
     "polynomials in vectors instead of calls, one reciprocal instead of many divisions, only as exact as "
     "the tolerance asks"},
    {"scalar_code",
     "code that vectorises: no aliasing, no branches in the loop, neighbouring elements in the lanes of a "
     "vector"},
    {"vector_units",
     "fewer operations: fused multiply-adds, common factors taken out, the widest vectors, no converting "
     "back and forth"},
    {"dependent_loads", "several chains followed at once, prefetching, or a layout that needs fewer steps"},
    {"dependency_chain",
     "four to eight independent accumulators instead of one, divisions taken out of the chain"},
    {"idle_cores",
     "work divided evenly among all cores: smaller pieces, or pieces handed out as cores become free"},
    {"mispredicted_branches", "selects and masks instead of branches, or data sorted by what they decide"},
    {"code_size", "a hot loop of a few kilobytes: less unrolling, fewer specialised copies"},
    {"launch", "nothing inside of the kernel: only fewer, larger calls"},
    {"operator_calls", "one compiled kernel instead of many operators, results written in place"},
    {"thread_starts",
     "one parallel region for all that is to be done, or one thread where the work is small"},
};

} // namespace

std::string_view remedy_of(std::string_view cause) {
  for (const auto& r : remedies)
    if (r.cause == cause)
      return r.what;
  return {};
}

} // namespace ke
