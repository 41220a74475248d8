#pragma once

#include "backends/judge/driver_seam.hpp"

namespace ke {

/// Objects with the C function `ke_call`, which ke-driver loads in a sandbox. Results lie in the arena, where
/// the judge has them written.
extern const driver_seam c_abi_driver;

} // namespace ke
