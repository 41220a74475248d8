#pragma once

#include <string>
#include <string_view>

namespace ke {

/// An AddressSanitizer or UndefinedBehaviorSanitizer report in our own words: the kind of error and the first
/// frame in the candidate's text, as "heap-buffer-overflow, READ of size 4, at candidate.cpp:5 in kernel".
/// The candidate can forge a report, and the line enters a verdict's reason: an unknown kind becomes "an
/// error", a place has numbers alone, a function is named only if `source` has that word. Empty: no report.
/// Pure.
std::string sanitizer_summary(std::string_view report, std::string_view file, std::string_view source);

} // namespace ke
