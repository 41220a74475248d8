#pragma once

#include "runtime/core/result.hpp"
#include "runtime/core/source_tokens.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A parameter that a source leaves open, declared by a line
///     // ke-param: NAME = 4 | 8 | 16        (# in Python)
/// Such a line within a text or another comment declares nothing. Values are words of letters, digits and
/// `_.+-`.
struct source_parameter {
  std::string name;
  std::vector<std::string> values;
};

/// One value per parameter, by index.
using parameter_point = std::vector<std::uint32_t>;

inline constexpr std::size_t most_parameters = 8;
inline constexpr std::size_t most_values = 16; ///< of one parameter

/// The parameters of a source in order; none: no template. `no_code` names line and mistake (too many, no
/// value, a name twice) in words fit for the model's next prompt. Pure.
result<std::vector<source_parameter>> parameters_of(std::string_view source, source_language language);

/// The point that the source's own definitions stand for; a parameter without one has its first value.
parameter_point point_in(std::string_view source, source_language language,
                         const std::vector<source_parameter>& parameters);

/// The candidate at a point. Below each parameter's line stands a definition (`#define NAME 8`, in Python
/// `NAME = 8`), which replaces an earlier one. Below the last one stands the comment `ke-point: {"NAME": "8",
/// ...}`, by which the point is recognised. A candidate is still its own template:
///     at_point(at_point(s, p), q) == at_point(s, q)
/// `invalid` if the point is not of this source. Pure.
result<std::string> at_point(std::string_view source, source_language language, const parameter_point& point);

} // namespace ke
