#pragma once

#include "backends/evidence/device_report.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/process/process_port.hpp"

namespace ke {

/// What `ke-judge --devices` finds, asked in a process of its own: one that has started the driver library can't be
/// the parent of others that use it. Blocking.
device_report nvidia_devices(process_port& processes);

/// What `ke-judge --bands` measures on this device: some seconds, in which nobody else should use it. Blocking.
device_bands nvidia_bands(process_port& processes, const std::string& uuid);

/// The device as a target: its name and facts.
void describe_nvidia(const nvidia_device& d, const device_report& of, device_info& target);

} // namespace ke
