#pragma once

#include <map>
#include <string>
#include <vector>

namespace ke {

/// What speaks for one of the six bottlenecks (diagnosis.hpp).
struct device_share {
  std::string bottleneck;
  double share = 0; ///< of the time, 0..1
  std::string cause;
};

/// Why a call on a device takes its time, from what a tool counted of its kernels. Pure. Reads, each as a share of 1:
///   role.memory, role.cache, role.compute, role.tensor   how busy these are (backends/evidence/metric_roles.hpp)
///   kernels.issue            cycles in which a scheduler issued
///   kernels.special          the units of special functions, of role.compute
///   kernels.waits.WHY        of the warps' time: loads, queue, shared, results, sync, code, units, issue
///   kernels.warps_possible   warps that fit, of those that a multiprocessor holds
///   kernels.limited_by_registers, kernels.limited_by_shared   1: they are why no more fit
///   kernels.balance          mean over longest time of a multiprocessor
///   kernels.filled           mean of that over the kernel's time
///   kernels.conflicts        turns at shared memory that conflicts of banks added
///   kernels.used_of_loads, kernels.used_of_stores   bytes that were asked for of those that were moved
///   kernels.atomics          of all sectors at the last-level cache
/// and kernels.count, kernels.ns (together) against `call_ns`, the call as judged without the path to it; 0: unknown.
/// Empty: no tool looked.
std::vector<device_share> device_shares(const std::map<std::string, double>& counters, double call_ns);

} // namespace ke
