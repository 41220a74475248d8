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
constexpr std::string_view device_drafts[] = {
    "one program or block per row or tile, with all that it needs in registers: read once, written once",
    "several short rows per program, or several programs per long row, so that every SM has work",
    "everything in one launch: no intermediate tensor goes to memory",
    "coalesced and wide accesses, with several loads in flight before the first is used",
    "tiles with reuse: operands staged once and used many times, on tensor cores where products dominate",
    "another algorithm for the same result: online or one-pass forms, a factorisation",
    "the reduced dimension split over programs, with a second step that joins the parts",
    "a grid of as many programs as fit on the device, each of which walks over several tiles",
};
// Of products, convolutions, attention and searches an author knows that rows of a tensor are not the unit.
constexpr std::string_view device_products[] = {
    "a tile of the result per program on tensor cores, operands through a pipeline of three or four "
    "stages, what follows the product done on the tile in registers",
    "tile shapes chosen by the extents, so that the last wave of programs is nearly full, and programs "
    "grouped so that neighbours share operands in L2",
    "programs that stay, one or two per SM, and walk over tiles: the next tile's loads run beside this "
    "one's stores",
    "the long sum split over programs where the result has few tiles, its parts joined in a fixed order",
    "operands by descriptors of blocks or bulk copies, with fewer registers for addresses and larger tiles",
};
constexpr std::string_view device_convolutions[] = {
    "a product of matrices for each tap, added up in registers: the window's lines are read once and "
    "come again from the nearest cache",
    "a tile over positions and all filters per program, so that the input is read once; weights stay near",
    "several positions per thread and the taps unrolled, in plain fused multiply-add: for few channels",
    "channels and taps folded into one long sum of one product, its operand gathered while it is loaded",
    "another kernel for short windows (one tap is a plain product) and for few channels",
};
constexpr std::string_view device_attention[] = {
    "a tile of queries per program, keys and values streamed once, the softmax online: nothing as "
    "large as all pairs goes to memory",
    "blocks in full use without a mask, the mask on the diagonal and the last block alone; programs "
    "with the most work begin first",
    "powers of two with the scale folded in, the running maximum and sum in registers, rescaled as "
    "rarely as it is right",
    "tiles and warps by head size: another choice for 64 and for 128, with a pipeline for keys and values",
    "keys split over programs and the parts joined, where there are fewer tiles of queries than SMs",
};
constexpr std::string_view device_searches[] = {
    "every lane a search of the same number of steps without branches, several values per lane at once "
    "to hide the chain of loads",
    "few borders: compare with all of them and count, with no dependent load at all",
    "the first steps by a small table in registers or shared memory, the last ones by loads",
    "wide accesses for the values and the results, which are most of the bytes",
};
constexpr std::string_view device_memory[] = {
    "fewer bytes: what is read twice or written only to be read again stays in registers or shared memory",
    "whole sectors: another order of threads or tiles, so that each access uses all bytes that it fetches",
    "more bytes in flight: more independent loads per program, or more programs at once",
    "tiles visited in an order in which the second use still finds them in L2",
};
constexpr std::string_view device_compute[] = {
    "tensor cores for what is a product, with the precision that the tolerance allows",
    "larger tiles, so that each loaded operand is used more often",
    "cheaper special functions within the tolerance: powers of two, one reciprocal instead of many divisions",
    "fewer operations: hoisted invariants, no index arithmetic in the inner loop",
};
constexpr std::string_view device_latency[] = {
    "a pipeline: the loads of the next tile begin before this one is used",
    "several independent accumulators or rows at once in a program",
    "fewer barriers: reductions within a warp, one exchange between warps",
    "more warps per SM to hide what each of them waits for",
};
constexpr std::string_view device_occupancy[] = {
    "more and smaller programs, and no short last wave",
    "fewer registers or less shared memory per program, so that more of them fit on an SM",
    "a split along another dimension, large enough for every SM at every workload",
    "programs that stay and take the next tile, in place of a tail of single ones",
};
constexpr std::string_view device_overhead[] = {
    "fewer launches: one kernel in place of several",
    "less host code per call: no views, no allocation but the results, plain launch arguments",
    "a short path for small sizes: fewer programs, each with more work",
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

struct improvement {
  std::string_view bottleneck;
  texts on_host, on_device;
};
constexpr improvement improvements[] = {
    {"memory", memory, device_memory},      {"compute", compute, device_compute},
    {"latency", latency, device_latency},   {"occupancy", occupancy, device_occupancy},
    {"frontend", frontend, device_compute}, {"overhead", overhead, device_overhead},
};

texts improvements_of(std::string_view bottleneck, direction_style style) {
  const bool device = style == direction_style::device;
  for (const auto& i : improvements)
    if (i.bottleneck == bottleneck)
      return device ? i.on_device : i.on_host;
  return device ? texts{device_drafts} : texts{unknown};
}

struct family_drafts {
  std::string_view family;
  texts on_device;
};
constexpr family_drafts drafts_by_family[] = {{"matmul", device_products},
                                              {"conv", device_convolutions},
                                              {"attention", device_attention},
                                              {"search", device_searches}};

texts drafts_of(direction_style style, std::string_view family) {
  switch (style) {
  case direction_style::python:
    return python_drafts;
  case direction_style::device:
    for (const auto& f : drafts_by_family)
      if (f.family == family)
        return f.on_device;
    return device_drafts;
  default:
    return native_drafts;
  }
}

} // namespace

std::string_view direction_of(operation_kind operation, direction_style style, std::string_view family,
                              std::string_view bottleneck, std::uint32_t number) {
  if (operation == operation_kind::fix)
    return {};
  auto all =
      operation == operation_kind::draft ? drafts_of(style, family) : improvements_of(bottleneck, style);
  return all[number % all.size()];
}

} // namespace ke
