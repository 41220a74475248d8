#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

struct problem;

/// What a compiler of Python candidates reads beside the source, as it sees what is launched only by calling the host code: files by
/// name, with their text.
///   calls.json   {"kernelbench": BOOL, "calls": [{"name": "wide", "arguments": [{"dtype": "f32", "shape": [2, 3]}, {"value": 0.5}]}]}:
///                a call for each workload that is not held out, in the order of a call's arguments; a KernelBench file says its own.
///                "is_reference": true of the reference as a candidate, which needs no kernel of its own
///   problem.py   the reference, of a KernelBench file alone
/// Pure.
std::vector<std::pair<std::string, std::string>> launch_cases(const problem& what, std::string_view source);

} // namespace ke
