#pragma once

#include "backends/evidence/device_report.hpp"

#include <string>

namespace ke {

/// What readings on the device with this uuid differ by, and what orders find there that a driver of our own forges: it
/// answers before its work has ended. In a process that serves nothing else; some two seconds, alone on the device.
device_bands try_forged_orders(const std::string& uuid);

} // namespace ke
