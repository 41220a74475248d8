#pragma once

#include <cstdint>

namespace ke {

struct diagnosis;
struct evidence;
struct problem;

/// The workload with the longest call, and the time of that call on a quiet machine, without the path to the
/// candidate.
struct longest_call {
  std::uint32_t workload = 0;
  double call_s = 0; ///< 0: nothing was timed
};
longest_call longest_workload(const evidence& found, const problem& what);

/// Why a kernel takes its time. Pure; from what judge and profilers left in the evidence:
///   peak.*             what the machine reaches (roofline.hpp)
///   cores_busy, run.*  how many cores worked
///   cg.*               simulated instructions, misses, branches
///   hw.*               the same, counted by the hardware
///   mca.*, hot.*       the hot loop: its model, share and size
///   share.*            where samples fell
///   torch.*            operators of PyTorch that a call made
///   role.*             what a vendor's tool counted (backends/evidence/metric_roles.hpp)
///   kernels.*          the same of a call's kernels on a device (device_shares.hpp)
/// Each of the six bottlenecks gets the share of the time that it explains, 0..1; the largest is named. Fewer
/// sources, or two bottlenecks with equal shares, lower the confidence. `bottleneck` is empty without
/// evidence.
///
///   memory     bytes take the time: bandwidth of a level, or more misses at once than the caches hide
///   compute    the execution units are busy
///   latency    one result waits for the one before: dependent loads, or a chain of arithmetic
///   occupancy  cores that the policy grants stand idle
///   frontend   instructions come too late: mispredicted branches, code larger than its caches
///   overhead   the path to the kernel, calling operators, or starting threads takes longer than the work
///
/// `cause` says what in the kernel makes it so, where the evidence tells; empty: it does not.
///
///   memory     bandwidth, cache_bandwidth (of a level), gather, strided_reads, strided_writes, reuse (lines that are
///              fetched again and again)
///   compute    math_functions, scalar_code, vector_units
///   latency    dependent_loads, dependency_chain
///   occupancy  idle_cores
///   frontend   mispredicted_branches, code_size
///   overhead   launch, operator_calls, thread_starts
///
/// and on a device, where a tool has looked:
///
///   memory     bandwidth, cache_bandwidth, uncoalesced, bank_conflicts, atomics
///   compute    fma_units, special_functions, tensor_cores
///   latency    dependent_loads, dependency_chain, sync
///   occupancy  registers, shared_memory, block_size, tail, few_blocks
///   frontend   code_size
///   overhead   launch
diagnosis diagnose(const evidence& found, const problem& what);

} // namespace ke
