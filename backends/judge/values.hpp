#pragma once

#include "backends/judge/secret_random.hpp"
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

/// The tensor's `range` for these dims; nothing without one. `indices` stay below the upper bound.
std::optional<value_bounds> bounds_of(const tensor_spec& t, const std::map<std::string, std::int64_t>& dims);

/// Whether `init` names a form that every input has: sorted, permutation, offsets, indices, mask, simplex.
bool has_form(const tensor_spec& t);

/// How far the values of one tensor go beyond its `init`'s draws.
struct value_reach {
  enum reach_kind : std::uint8_t {
    none,
    /// Integers: any value of the type, so that sums overflow, which C++ leaves undefined; only if the
    /// reference survives.
    whole,
    full,           ///< integers: all magnitudes of the type; others: other values than init draws
    three_quarters, ///< integers: of this share of the type's bits
    half,
    below, ///< integers: not negative and below `symbol`, as indices are
  } kind = none;
  std::string symbol = {};
  bool few = false; ///< in one to three elements only; all others are as drawn by init
};

/// The reaches worth trying, the widest first; empty for a tensor that keeps to its `init` (by its form or
/// promise, or because `init` draws as widely). A tensor with a range has one: all of its range.
std::vector<value_reach> reaches_of(const tensor_spec& t, const std::map<std::string, std::int64_t>& dims);

/// Whether any input of the problem has values beyond its `init`.
bool goes_beyond(const problem& what);

/// Whether a number among a KernelBench file's inputs, equal in each draw, may be another one.
bool varies_numbers(const problem& what);

/// The value of a scalar for one call: its own, or one of its range.
double draw_scalar(const scalar_spec& s, random_source& random);

/// A value between the bounds; each bound once in eight.
double draw_between(const tensor_spec& t, const value_bounds& bounds, random_source& random);

/// Bends fresh contents, drawn by `init`, to values beyond it: all of them, or a few, so that a sample of the
/// values looks usual. The sum of all integers in one tensor stays within its type, because C++ leaves
/// overflow undefined. `last`: the last dimension.
void draw_beyond(const tensor_spec& t, std::string& bytes, std::size_t last, const value_reach& reach,
                 const std::map<std::string, std::int64_t>& dims, random_source& random);

} // namespace ke
