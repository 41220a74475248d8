#pragma once

#include "backends/device/judge_device.hpp"

namespace ke_test {

/// The judge's device on the driver library of host memory.
ke::judge_device& fake_judge_device();

} // namespace ke_test
