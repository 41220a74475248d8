#include "knowledge/prompt/directions.hpp"

#include <span>

namespace ke {
namespace {

using texts = std::span<const std::string_view>;

constexpr std::string_view native_drafts[] = {
    "the plain algorithm, written so that every hot loop vectorises: unit stride, no aliasing, no branches",
    "as few passes over memory as the algorithm allows: fuse loops and keep partial results in registers",
    "explicit vectors of this target's width, with a masked or scalar tail",
    "blocks that fit the caches, with the innermost tile held in registers",
    "several independent accumulators, so that no loop waits for the latency of its own result",
    "another algorithm for the same result: online or one-pass forms, a factorisation, a table",
    "a change of layout first (packing, transposing, padding in a local buffer), then a simple inner loop",
    "work split over the allowed threads in large, equal pieces, with serial code for small sizes",
};
constexpr std::string_view python_drafts[] = {
    "the fewest operator calls that compute the result; each call is a pass over memory",
    "in-place and out= forms, so that no temporary is allocated",
    "one library operator that already fuses most of the work",
    "another layout (contiguous, channels last, transposed), so that the main operator takes its fast path",
    "algebra: hoist what does not depend on the inputs' values into the constructor, reorder products",
    "a scripted or compiled function for the element-wise parts",
};
constexpr std::string_view memory[] = {
    "fewer passes over memory: fuse loops, keep intermediate values in registers",
    "smaller blocks, so that what is read twice is still in a nearer cache the second time",
    "a better access order or layout: unit stride in the inner loop, whole cache lines, packed tiles",
    "less traffic per element: no temporary arrays, no read of what will be overwritten",
    "earlier requests: prefetching, or several streams in flight",
};
constexpr std::string_view compute[] = {
    "more work per instruction: the widest vectors, fused multiply-add",
    "more independent chains: unroll and use several accumulators",
    "fewer operations: hoisted invariants, cheaper equivalents, shared sub-expressions",
    "a register tile that loads each operand once and uses it several times",
    "cheaper special functions (polynomials, one division instead of many) within the tolerance",
};
constexpr std::string_view latency[] = {
    "several independent chains at once, so that one waits while another works",
    "a reduction tree in place of one running value",
    "shorter dependency chains: fewer steps from load to use, address arithmetic off the path",
    "loads early and uses late, with more iterations in flight",
};
constexpr std::string_view occupancy[] = {
    "more parallel pieces of equal size, so that no unit waits for another",
    "fewer resources per piece, so that more of them run at once",
    "a split along another dimension, large enough for every unit at every workload",
    "no waiting between pieces: fewer barriers, no shared writes",
};
constexpr std::string_view frontend[] = {
    "smaller code in the hot loop: less unrolling, fewer variants",
    "no branches that depend on data: select, mask or sort them out of the loop",
    "one loop shape for all sizes, special cases outside of it",
};
constexpr std::string_view overhead[] = {
    "less set-up per call: no allocation, no thread start, nothing computed that can be a constant",
    "a short path for small sizes",
    "fewer and larger steps: fused launches or calls",
};
constexpr std::string_view unknown[] = {
    "what the hottest loop does per element, made cheaper",
    "how data moves: order, layout and reuse",
    "more independent work at once",
    "another algorithm for the same result",
};

texts improvements(std::string_view bottleneck) {
  if (bottleneck == "memory")
    return memory;
  if (bottleneck == "compute")
    return compute;
  if (bottleneck == "latency")
    return latency;
  if (bottleneck == "occupancy")
    return occupancy;
  if (bottleneck == "frontend")
    return frontend;
  if (bottleneck == "overhead")
    return overhead;
  return unknown;
}

} // namespace

std::string_view direction_of(operation_kind operation, bool python, std::string_view bottleneck,
                              std::uint32_t number) {
  if (operation == operation_kind::fix)
    return {};
  texts all = operation == operation_kind::draft ? python ? texts{python_drafts} : texts{native_drafts}
                                                 : improvements(bottleneck);
  return all[number % all.size()];
}

} // namespace ke
