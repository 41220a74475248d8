#pragma once

#include "backends/judge/random.hpp"
#include "runtime/core/problem.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// Bounds of a tensor's values in one shape, both included.
struct value_bounds {
  double low = 0, high = 0;
};

/// What the tensor's `range` says for these dims; nothing without one. `indices` stay below the upper bound.
std::optional<value_bounds> bounds_of(const tensor_spec& t, const std::map<std::string, std::int64_t>& dims);

/// Whether `init` names a form that every input has: sorted, permutation, offsets, indices, mask, simplex.
bool has_form(const tensor_spec& t);

/// How far the values of one tensor go beyond what its `init` draws.
struct value_reach {
  enum reach_kind : std::uint8_t {
    none,
    whole,          ///< integers: any value of the type, so that sums in it overflow, which C++ leaves
                    ///< undefined: for a reference that does without
    full,           ///< integers: all magnitudes of the type; others: other values than init draws
    three_quarters, ///< integers: of so much of the type's bits
    half,
    below, ///< integers: not negative and below `symbol`, as indices are
  } kind = none;
  std::string symbol = {};
  bool few = false; ///< in one to three elements alone; all others are as init draws them
};

/// What is worth trying, the widest first; empty for a tensor that keeps to its `init` (its form or promise
/// says so, or its `init` draws as widely). A tensor with a range has one: all of its range.
std::vector<value_reach> reaches_of(const tensor_spec& t, const std::map<std::string, std::int64_t>& dims);

/// Whether any input of the problem has values beyond its `init`.
bool goes_beyond(const problem& what);

/// What one call gets for a scalar: its value, or one of its range.
double draw_scalar(const scalar_spec& s, random_source& random);

/// A value between the bounds; each of them once in eight.
double draw_between(const tensor_spec& t, const value_bounds& bounds, random_source& random);

/// Bends fresh contents, as `init` draws them, to values beyond that: all of them, or a few, so that who
/// looks at a sample of the values finds them usual. The sum of all integers in one tensor stays within its
/// type: C++ leaves undefined what an overflow is. `last`: the last dimension.
void draw_beyond(const tensor_spec& t, std::string& bytes, std::size_t last, const value_reach& reach,
                 const std::map<std::string, std::int64_t>& dims, random_source& random);

} // namespace ke
