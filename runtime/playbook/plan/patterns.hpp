#pragma once

#include "runtime/playbook/read/normalize.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke::playbook {

/// Emitters for loop structures that need more than a rewritten nest: `blocks` (a copy between transposed
/// layouts), `panels` (a product of matrices with packed panels). Recognised by the reference's loops, never
/// by name.

/// The emitter that fits the kernel; empty: none.
std::string pattern_of(const understood_kernel& u, bool strict);
/// The most promising ones first.
std::vector<point> pattern_points(const std::string& pattern, std::int64_t threads,
                                  std::int64_t vector_bytes);
std::vector<std::int64_t> pattern_grid(const std::string& pattern, const std::string& parameter);
/// The candidate's text without its first comment lines; empty if the pattern does not fit.
std::string render_pattern(const understood_kernel& u, const point& at, std::int64_t threads,
                           std::int64_t vector_bytes, bool strict);
std::string pattern_rationale(const std::string& pattern);

} // namespace ke::playbook
