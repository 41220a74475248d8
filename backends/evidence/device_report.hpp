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
  std::string trouble;   ///< why nothing can be judged on it; empty: it can
  std::string strangers; ///< other programs that compute on it, in words; empty: none that is known
};
KE_FIELDS(nvidia_device, x.number, x.name, x.uuid, x.bus, x.node, x.arch, x.memory_bytes, x.l2_bytes,
          x.processors, x.trouble, x.strangers)

/// What `ke-judge --devices` says.
struct device_report {
  std::vector<nvidia_device> devices;
  std::string driver;  ///< "CUDA 13.0"
  std::string trouble; ///< why there are none
  std::string library; ///< path of the driver library
};
KE_FIELDS(device_report, x.devices, x.driver, x.trouble, x.library)

/// "nvidia-h100": the last word of the vendor's name that a person would say, in small letters; a device that is
/// called otherwise is "nvidia-" and its architecture.
std::string short_name(const nvidia_device& d);

} // namespace ke
