#pragma once

#include "backends/judge/expectation.hpp"
#include "backends/judge/secret_random.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Inputs at the edge of an operator's domain (trust.md 2.4, docs/manual/trust.md "Edges").
enum class edge_kind : std::uint8_t {
  plain,     ///< nothing bent: for shapes that are an edge themselves
  wide,      ///< times 200: a softmax without its maximum overflows
  one_huge,  ///< one element 2^20 times as large, and another as far below zero
  tail,      ///< the last eighth of each row outweighs the rest
  huge,      ///< near the square root of the largest number
  subnormal, ///< below the smallest normal number
  /// Multiples of a half, some of a finer part: equal values, and values exactly at a step or a rounding.
  steps,
  offset,      ///< a common offset far above the spread: breaks a mean of squares less the square of a mean
  signed_zero, ///< every third element is a zero, of either sign
  masked,      ///< three times minus infinity in one tensor
  infinity,    ///< the same with plus infinity among them, which may hide an error at a mask
  nan          ///< three NaNs in one tensor
};
KE_NAMES(edge_kind, 12, "plain", "wide", "one_huge", "tail", "huge", "subnormal", "steps", "offset",
         "signed_zero", "masked", "infinity", "nan")

/// The kinds for candidates of this problem: all but `plain`. If the policy allows fast math, without what
/// that gives up (masked, infinity, nan, subnormal, signed_zero).
std::vector<edge_kind> edges_of(const problem& what);

/// Whether edges may be put into this tensor: a floating input from a continuous distribution, without range
/// or promise.
bool bends(const tensor_spec& t);

/// Whether another value in this tensor says something about the operator: it is drawn from a continuous
/// distribution, by get_inputs(), or by the problem's generator.
bool draws_values(const tensor_spec& t);
/// Initialisers of a KernelBench file's inputs with values of both signs, hence without a limited domain.
/// `any`: any value anywhere. `structured`: only a function of each value, because zeros and equal elements
/// are a structure there.
inline constexpr auto any_real = "get_inputs, any", structured_real = "get_inputs, structured";
/// The same for draws of one sign, if the reference survives the other one.
inline constexpr auto any_magnitude = "get_inputs, any of one sign",
                      structured_magnitude = "get_inputs, structured, of one sign";
/// Truth values, or numbers 0 and 1 equal in each draw, if the reference survives others.
inline constexpr auto any_mask = "get_inputs, mask";
/// Inputs equal in each draw of get_inputs(), if the reference survives others.
inline constexpr auto any_fixed = "get_inputs, the same in each draw";
/// Whether the values of a KernelBench file's input have one sign, and the other one is tried.
bool flips(const tensor_spec& t);

/// Places for `infinity` and `nan`: the first, the last and one more element, for kernels that treat a row's
/// begin or end as special.
std::vector<std::size_t> special_places(std::size_t elements, random_source& random);

/// Bends fresh contents in place. `last`: the last dimension. `places`: for `infinity` and `nan`.
void bend(edge_kind kind, dtype d, std::string& bytes, std::size_t last,
          const std::vector<std::size_t>& places, random_source& random);

/// What is known of an output besides truth and reference.
struct edge_facts {
  edge_kind kind = edge_kind::plain;
  /// nan: per element, 1 if the output depends on a replaced input. Empty for other kinds.
  std::string touched;
  double reference_errors = 32; ///< allowed multiple of the reference's own largest error
  double error_backwards = 0;   ///< its error on the same inputs in reverse order, if asked
  double flushed = 0;           ///< what terms that a device takes for zeros may amount to
};

/// The reference's largest error beyond the rounding of its output, among the elements it stands by.
double standing_error(dtype d, const void* truth, const void* reference, std::size_t elements);

/// The rule at the edge: an output element is held to the truth only if the reference itself stands by it.
/// Exempt are elements
/// - where the reference and the truth in wider arithmetic disagree on NaN, the sign of an infinity, or
///   finiteness (overflow on the way), or differ by more than 2^-7 (cancellation, overflow on the way);
/// - that are NaN without a NaN in the inputs (inf - inf, 0 * inf: which of these a formula meets is its own
///   affair);
/// - that depend on a NaN, unless the reference makes NaN of every element that does (sum: yes; max: no).
///   Then the candidate must, too.
/// All others follow `rule`. The yardstick is the reference's error on the elements that count (in either
/// order), or on usual inputs (`rule.absolute`) if that is larger and the values are not subnormal. In
/// bitwise mode nothing is exempt. Integer outputs are exempt if floating inputs leave an integer's range
/// (one_huge, huge, infinity, nan).
expectation expect_edge(dtype d, const void* truth, bool wide, const void* reference, std::size_t elements,
                        comparison_rule rule, const edge_facts& facts);

} // namespace ke
