#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ke {

struct integrity_flag;
struct launch_samples;
struct problem;
struct workload;

/// Physics, not statistics: the limits of a workload's speed on a machine with these peaks
/// (backends/peaks/peaks.hpp). Pure.

/// The rate of a figure ("bytes.l2", "flops.f32" by the best instruction set) with `threads` threads. Private
/// resources of cores add up; shared ones were measured together. 0: unknown.
double peak_rate(const std::map<std::string, double>& peaks, const std::string& figure, std::int64_t threads);

/// The work of one call, from the problem's [cost] and its tensors.
struct workload_cost {
  double bytes = 0;        ///< that must move; 0: the problem does not say
  double flops = 0;        ///< essential operations; 0: the problem does not say
  double tensor_bytes = 0; ///< of all tensors together: the working set
  double input_bytes = 0;  ///< of the tensors that are read
  std::string level; ///< of the working set when the call begins: l1 l2 l3 dram; dram if the policy is cold
};
workload_cost cost_of(const problem& what, const workload& w, const std::map<std::string, double>& peaks);

/// The first level that holds a working set of this size.
std::string level_of(double bytes, const std::map<std::string, double>& peaks, std::int64_t threads);

/// The figure that bounds the arithmetic of a problem: "flops.f32", the fastest among its tensors' dtypes.
std::string rate_of_dtypes(const problem& what);

struct physical_floor {
  double seconds = 0;     ///< no call can be shorter: t_min
  bool by_memory = false; ///< which of the two bounds it
  double memory_s = 0;    ///< bytes over bandwidth; 0: unknown
  double compute_s = 0;   ///< operations over rate; 0: unknown
  workload_cost cost;
  double moved = 0;     ///< bytes of `cost.bytes` that must come through `level`
  double bandwidth = 0; ///< of that level, bytes per second
  std::string level;    ///< the one that takes longest
  double rate = 0;      ///< assumed operations per second
};

/// None if the problem states no cost, or the peaks are unknown.
std::optional<physical_floor> floor_of(const problem& what, const workload& w,
                                       const std::map<std::string, double>& peaks);

/// One flag `below_floor` for each workload whose typical call was shorter than physics allows, with slack:
/// 0.8 of t_min, less if the peaks were measured among noise. If the workload's baseline is below the floor,
/// too, cost formula or peaks are wrong, and there is no flag.
std::vector<integrity_flag> below_floor(const problem& what, std::span<const launch_samples> samples,
                                        const std::map<std::string, double>& peaks);

} // namespace ke
