#pragma once

#include "backends/judge/driver_seam.hpp"

namespace ke {

/// Device code with declared launches on an NVIDIA device (the design's gpu.md). References in C++ run on the host,
/// as the driver "c-abi" has them, so candidates are compared with the host's time unless the campaign names a
/// baseline in device code.
extern const driver_seam cuda_driver;

} // namespace ke
