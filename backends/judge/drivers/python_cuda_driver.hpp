#pragma once

#include "backends/judge/driver_seam.hpp"

namespace ke {

/// Python whose tensors lie on an NVIDIA device: forks of a warm parent, orders by a shared page, results where the
/// candidate made them (backends/torch-cuda/device_orders.py). All that knows nothing of a device, describing a
/// KernelBench file or making its inputs, is the host's Python driver's.
extern const driver_seam python_cuda_driver;

} // namespace ke
