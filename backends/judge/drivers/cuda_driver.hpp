#pragma once

#include "backends/judge/driver_seam.hpp"

namespace ke {

/// Device code with a declared launch (backends/evidence/device_object.hpp). This version runs none: every
/// task is answered that there is no device.
extern const driver_seam cuda_driver;

} // namespace ke
