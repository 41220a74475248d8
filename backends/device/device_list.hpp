#pragma once

#include "backends/evidence/device_report.hpp"
#include "runtime/core/result.hpp"

#include <string>

namespace ke {

/// Asks the driver library: starts it in this process (some 100 ms), which never again can be the parent of one
/// that uses a device. Any thread.
device_report list_devices();

/// The number, in this process, of the device with this uuid; empty: the first. `missing` if it is not there.
result<nvidia_device> find_device(const std::string& uuid);

/// Whether a daemon of MPS listens in this folder. Any thread.
bool mps_runs(const std::string& folder);

} // namespace ke
