#pragma once

#include <string>
#include <string_view>

namespace ke {

/// What an AddressSanitizer or UndefinedBehaviorSanitizer report says, in words of our own: the kind of error
/// and the first frame in the candidate's text, as "heap-buffer-overflow, READ of size 4, at candidate.cpp:5
/// in kernel". The candidate can print such a report itself, and the line ends up in a verdict's reason: a
/// kind that we don't know is "an error", a place has numbers alone, and a function is named if `source` has
/// that word. Empty: there is no report. Pure.
std::string sanitizer_summary(std::string_view report, std::string_view file, std::string_view source);

} // namespace ke
