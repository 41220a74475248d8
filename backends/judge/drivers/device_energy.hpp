#pragma once

namespace ke {

struct device_state;

namespace on_device {

/// driver_seam::energy, by NVIDIA's management library, which counts on ten times a second. A candidate could do less in
/// these orders, whose results nobody looks at: a figure for people, and no part of a decision.
double energy(device_state&, double seconds);

} // namespace on_device
} // namespace ke
