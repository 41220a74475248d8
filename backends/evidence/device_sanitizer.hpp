#pragma once

#include "backends/evidence/profile_result.hpp"

#include <string_view>

namespace ke {

/// What NVIDIA's compute-sanitizer printed of a call that crashed, as the findings `sanitizer` (the first error in our own
/// words: "Invalid __global__ write of size 4, at line 14, thread (32,0,0) of block (0,0,0), 5 bytes behind an allocation
/// of 4096") and `sanitizer_report` (its own words, the first 4000 characters). The candidate can forge a report, and the
/// line enters a verdict's reason: an unknown kind is none, and all else are numbers. Empty: no error was seen. Pure.
profile_result read_device_sanitizer(std::string_view text);

/// Whether the tool has printed its summary, so that what it has not told is not there. Pure.
bool has_sanitizer_summary(std::string_view text);

} // namespace ke
