#pragma once

#include <string>

namespace ke {

struct device_info;
struct problem;

/// The most that a machine does, as lines of a prompt: clock, bandwidth and latency of each level of memory,
/// arithmetic in the problem's floating dtypes and f32, each by one core and by all. From the facts that the device announced
/// (backends/peaks/peaks.hpp has their keys), to two digits. Empty: it announced none.
std::string peak_lines(const device_info& target, const problem& what);

} // namespace ke
