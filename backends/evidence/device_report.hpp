#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// One device of NVIDIA's, as the driver library has it.
struct nvidia_device {
  std::int64_t number = 0;       ///< for the driver library, in this process's environment
  std::string name;              ///< "NVIDIA H100 80GB HBM3"
  std::string uuid;              ///< "GPU-8a3c…"
  std::string bus;               ///< "0000:1B:00.0"
  std::string node;              ///< "/dev/nvidia0"
  std::string arch;              ///< "sm_90"
  std::int64_t memory_bytes = 0; ///< of the whole device
  std::int64_t l2_bytes = 0, processors = 0;
  std::int64_t clock_khz = 0;                             ///< at most; 0, here and below: not said
  std::int64_t memory_clock_khz = 0, memory_bus_bits = 0; ///< two transfers a cycle
  std::int64_t processor_threads = 0, processor_registers = 0, processor_shared_bytes = 0;
  std::int64_t block_shared_bytes = 0; ///< of one block that asks for it
  std::string trouble;                 ///< why nothing can be judged on it; empty: it can
  std::string strangers; ///< other programs that compute on it, in words; empty: none that is known
};
KE_FIELDS(nvidia_device, x.number, x.name, x.uuid, x.bus, x.node, x.arch, x.memory_bytes, x.l2_bytes,
          x.processors, x.clock_khz, x.memory_clock_khz, x.memory_bus_bits, x.processor_threads,
          x.processor_registers, x.processor_shared_bytes, x.block_shared_bytes, x.trouble, x.strangers)

/// What `ke-judge --devices` says.
struct device_report {
  std::vector<nvidia_device> devices;
  std::string driver;  ///< "CUDA 13.0"
  std::string trouble; ///< why there are none
  std::string library; ///< path of the driver library
};
KE_FIELDS(device_report, x.devices, x.driver, x.trouble, x.library)

/// What `ke-judge --bands` measures: how good readings on one device are, in us. A band is what 95 of 100 stay within, above
/// the usual reading, and a margin for processes that run a candidate's host code.
struct device_bands {
  /// Orders of our own that left so much work behind their answers, and how many of them were seen to. With 0 us: honest
  /// ones, that were suspected.
  struct leftover {
    double left_us = 0;
    std::int64_t orders = 0, found = 0;
  };
  double fence_us = 0, fence_band_us = 0; ///< the judge's empty kernel, after a turn of the driver
  double primer_us = 0;                   ///< the driver's, after a turn of the judge: the shortest
  double still_us = 0;                    ///< the judge's, after one of its own
  std::vector<leftover> forged;
  std::string trouble; ///< why there are none
};
KE_FIELDS(device_bands::leftover, x.left_us, x.orders, x.found)
KE_FIELDS(device_bands, x.fence_us, x.fence_band_us, x.primer_us, x.still_us, x.forged, x.trouble)

/// "nvidia-h100": the last word of the vendor's name that a person would say, in small letters; a device that is
/// called otherwise is "nvidia-" and its architecture.
std::string short_name(const nvidia_device& d);

} // namespace ke
