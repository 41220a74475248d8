#pragma once

#include "backends/judge/inputs.hpp"
#include "backends/judge/values.hpp"
#include "runtime/core/problem.hpp"

#include <optional>
#include <string>

namespace ke {

/// Fresh contents of a tensor whose `init` names a form (has_form); every distribution keeps the form. Along
/// the last dimension, of extent `last`: `sorted` ascends; `permutation` holds 0..last-1; `offsets` ascends
/// from the lower bound to the upper one; `simplex` is not negative and sums up to 1. `indices` lie between
/// the bounds; `mask` is 0 or 1. Distributions `init` and `uniform` are usual; `large`, `small` and
/// `mostly_zero` are odd: empty and full segments, nothing or everything masked, all weight in one place,
/// equal elements, the ends of the range.
std::string draw_form(const tensor_spec& t, std::size_t elements, std::size_t last, distribution d,
                      const std::optional<value_bounds>& bounds, random_source& random);

} // namespace ke
