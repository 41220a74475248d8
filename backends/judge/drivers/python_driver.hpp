#pragma once

#include "backends/judge/driver_seam.hpp"

namespace ke {

/// Texts in Python, run by forks of a warm parent (driver.py). Results of an order of one call stay where
/// they were made, and are read there from the stopped process: a copy would be time that only some could
/// save. Pages of them that nobody has written for this call are charged.
extern const driver_seam python_driver;

} // namespace ke
