#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Makes counters of what a profiling tool printed. The text is untrusted: a reader is bounded and never
/// fails, it finds less. Pure.
using profile_reader = std::map<std::string, double> (*)(std::string_view text);

/// By the name that a backend.toml uses ([[job]] reads = "..."); null if there is none.
///   instruction-mix   `objdump -d` of a built object (instruction_mix.hpp)
///   name-value        lines `name = number`, for a vendor's tool behind a small script; at most 256
profile_reader find_profile_reader(std::string_view name);

std::vector<std::string> profile_reader_names();

} // namespace ke
