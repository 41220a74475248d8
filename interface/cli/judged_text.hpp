#pragma once

#include <map>
#include <string>

namespace ke {
struct diagnosis;
struct evidence;
} // namespace ke

namespace ke::cli {

// What `eval` and `profile` say beside a verdict's numbers.

/// Lines for people: the bottleneck and its evidence. Pure.
std::string diagnosis_lines(const diagnosis& d);

/// Lines for people: what the assembler says of each entry of the built object, if anything. Pure.
std::string static_lines(const std::map<std::string, double>& counters);

/// A Chrome trace of one call, by loop or by operator, as far as the evidence has one. Whether it has.
bool write_call_trace(const std::string& file, const evidence& found);

} // namespace ke::cli
