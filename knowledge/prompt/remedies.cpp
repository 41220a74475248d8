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
    {"launch",
     "fewer, larger launches: kernels fused, or one that does all; where a call is one short kernel, "
     "nothing inside of it"},
    {"uncoalesced",
     "neighbouring threads on neighbouring addresses: another thread for each element, a tile turned in "
     "shared memory, a layout with the inner dimension last"},
    {"bank_conflicts",
     "rows of shared memory one element longer, or addresses swizzled, so that the threads of a warp "
     "meet 32 banks"},
    {"atomics", "sums by thread, warp and block first (shuffles, shared memory), one atomic for each block"},
    {"registers", "fewer values alive at once: smaller tiles, loops not unrolled, a bound on registers "
                  "(__launch_bounds__, num_warps) where that does not spill"},
    {"shared_memory", "smaller tiles or fewer stages, so that several blocks fit"},
    {"block_size", "blocks of a size of which more fit: 128 to 256 threads"},
    {"tail", "as many blocks as fit at once, or a multiple; smaller pieces, or a standing grid that takes "
             "pieces as it "
             "gets free"},
    {"few_blocks", "more blocks: smaller tiles, or the sum's axis divided among blocks (split-K)"},
    {"sync",
     "fewer barriers: work within a warp by shuffles, several stages of a pipeline between barriers, smaller "
     "blocks"},
    {"tensor_cores",
     "fewer operations or narrower types; wgmma with operands from shared memory, copies that run "
     "beside it"},
    {"fma_units",
     "fewer operations, packed types (two halves at once), matrix units where the work is a product"},
    {"special_functions",
     "fewer exponentials and divisions: exp2 with the factor taken out, a product with one "
     "reciprocal"},
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
