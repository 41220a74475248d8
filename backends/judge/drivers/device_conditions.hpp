#pragma once

#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

struct evidence;
struct judge_task;
struct nvidia_device;

namespace on_device {

/// From now on `conditions` speaks of this device. Without NVIDIA's management library it says nothing.
void watch_conditions(const nvidia_device& device);

/// What orders of processes with foreign host code were charged beyond their clock, ns: of a judgement.
struct charges {
  std::uint64_t orders = 0;
  double armed = 0;  ///< work between inputs and primer
  double turns = 0;  ///< fence and primer of the order
  double shift = 0;  ///< by how much the process's are longer than the reference's
  double behind = 0; ///< work between the answer's fence and the stop
  /// Fences after orders and primers before them.
  struct {
    std::vector<double> fences, primers;
    void add(double fence_ns, double primer_ns) {
      fences.push_back(fence_ns);
      primers.push_back(primer_ns);
    }
  } candidate, others;
};
charges& charges_so_far();

/// Bytes of the watched device's memory that nobody has; 0: no device.
std::size_t free_memory();

/// device_health::joules of the watched device. Of one thread at a time.
double joules();

/// driver_seam::sentinel: `launch`, an empty kernel and its wait; `memory`, a write over more than the last-level cache,
/// both by the judge's own context on the watched device; and the host's, for what launches kernels. Empty: no device.
std::map<std::string, double> sentinel(const std::vector<int>& cpus);

/// driver_seam::conditions: clocks, heat, power, what held it back, errors of its memory.
status conditions(const judge_task& task, evidence& found);

} // namespace on_device
} // namespace ke
