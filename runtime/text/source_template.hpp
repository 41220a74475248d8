#pragma once

#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct source_syntax;

/// A parameter that a source leaves open, declared by a line
///     // ke-param: NAME = 4 | 8 | 16
/// after whatever begins a comment in the source's language. Such a line within a text or another comment
/// declares nothing. Values are words of letters, digits and `_.+-`.
struct source_parameter {
  std::string name;
  std::vector<std::string> values;
};

/// One value per parameter, by index.
using parameter_point = std::vector<std::uint32_t>;

inline constexpr std::size_t most_parameters = 8;
inline constexpr std::size_t most_values = 16; ///< of one parameter

/// The line that gives a constant its value in this language; empty where it has no templates.
std::string constant_line(const source_syntax& syntax, std::string_view name, std::string_view value);

/// The parameters of a source in their order; none: it is no template. `no_code` names the line and the
/// mistake (too many, no value, a name twice), fit for the model's next prompt. Pure.
result<std::vector<source_parameter>> parameters_of(std::string_view source, const source_syntax& syntax);

/// The point that the source's own definitions stand for; the first value where a parameter has none yet.
parameter_point point_in(std::string_view source, const source_syntax& syntax,
                         const std::vector<source_parameter>& parameters);

/// The candidate at a point. Below each parameter's line stands a definition (`#define NAME 8`, or the
/// language's own form), which replaces an earlier one. Below the last one stands the comment
/// `ke-point: {"NAME": "8", ...}`, by which the point is recognised. A candidate is still its own template:
///     at_point(at_point(s, p), q) == at_point(s, q)
/// `invalid` if the point is not of this source. Pure.
result<std::string> at_point(std::string_view source, const source_syntax& syntax,
                             const parameter_point& point);

/// A template that no point is chosen of, at the first value of each parameter; any other source as it is. `no_code` as
/// parameters_of.
result<std::string> at_first_values(std::string_view source, const source_syntax& syntax);

} // namespace ke
