#pragma once

#include "backends/judge/number_format.hpp"
#include "runtime/core/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ke {

/// The rule of one output tensor, for a value y and the truth t:
///   exact        bytes equal the reference's (any NaN equals any NaN: the processor chooses which one);
///                or, for integers with a tolerance of their own, as otherwise
///   otherwise    |y - t| <= relative |t| + absolute
///   larger       |y - t| <= max(relative |t|, absolute) + the dtype's smallest normal (f16: smallest;
///                eight bits: half of the smallest) number; of sixteen bits and fewer absolute + u |t|
///   of_largest   the tensor's largest finite |t| replaces each element's own
struct comparison_rule {
  bool exact = false;
  bool larger = false;
  bool of_largest = false;
  double relative = 0;
  double absolute = 0;
};

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The rule of trust.md 2.4 for this problem and dtype: c u g S, where c = 4, g = 4 + sqrt(k), k is the
/// reduction length (inputs behind one output; 1 if pointwise), and S is |t|, which for sums is its lower
/// bound. 16-bit outputs are rounded once, from sums of at least 32 bits: 4 (u + u32 g); outputs of eight bits
/// likewise, but the rounding counts once: (1 + 1/64) u + 4 u32 g. `absolute` stays 0:
/// the reference's own error fills it and stands in for S if terms cancel. `widened`: the truth was computed
/// in wider arithmetic; else the page's fallback tolerances hold. `equal_terms`: how many of the k may be
/// equal. Added in order, equal terms lose the same in every step while the sum stays between two powers of
/// two, at most half a unit in its last place. Over all steps that is 3/8 of `equal_terms` u of the sum; half
/// of `equal_terms` u is allowed. `transforms`: with `scale = "tensor"`, the allowed multiple of a sum's
/// error, and more of few terms, where the largest output holds less of what a transform adds up.
comparison_rule rule_for(const problem& what, dtype d, bool widened, double reduction = 1,
                         double equal_terms = 0, double transforms = 1);

/// Whether a truth in wider arithmetic was rounded to the dtype (f8e4m3, f8e5m2) before it was kept: a
/// reference that does so by itself. Then an honest kernel may be at a neighbour of it, which `expect` and
/// `reference_error` allow for.
bool is_rounded(dtype d, const void* truth, bool wide, std::size_t elements);

/// How far the reference is from the truth, beyond the rounding of its output. Negative: they disagree on
/// which elements are finite, so this input gives no rule.
double reference_error(dtype d, const void* truth, bool wide, const void* reference, std::size_t elements);

/// How large the finite elements are, by a sample of some 8,192 of them, evenly spread. 0: none is finite.
double largest_seen(dtype d, const void* data, std::size_t elements);

/// The allowed contents of a tensor, as an interval per element: a check is two comparisons.
struct expectation {
  ke::dtype dtype = ke::dtype::f32;
  std::size_t elements = 0;
  std::string exact; ///< not empty: these bytes
  /// f32, f16, bf16; low > high: the truth is not a number; -inf..inf: exempt.
  std::vector<float> low, high;
  std::vector<double> low64, high64;
  std::string exempt;                ///< with `exact`: 1: any value will do; empty: nowhere
  double relative = 0, absolute = 0; ///< with `exact`, integers: their own tolerance
  /// Eight bits, where the truth was rounded to them: each element's bits, or `any` where more than its rounding is
  /// allowed. Any neighbour passes, but not for more than one in eight: of what is cut instead of rounded, or rounded to
  /// fewer bits before, every second one is a neighbour; of what is rounded to sixteen bits before, one in sixteen.
  std::vector<std::int16_t> rounded;
  static constexpr std::int16_t any = -1;
  std::size_t bytes() const;
};

/// Any value will do there, even NaN.
void exempt_element(expectation& e, std::size_t i);
/// Number of such elements.
std::size_t exempt_elements(const expectation& e);

/// Element `i` of a truth in wider arithmetic, as the dtype can hold it: too large is infinite.
double truth_as(dtype d, const void* truth, std::size_t i);

expectation expect(dtype d, const void* truth, bool wide, std::size_t elements, const comparison_rule& rule);

struct check_outcome {
  std::size_t failed = 0; ///< elements
  std::size_t first = 0;  ///< index of the first one
  double worst = 0;       ///< largest error over its bound; infinite for a wrong mask or an exact mismatch
  double expected = 0, got = 0, bound = 0; ///< of the first one
};

/// `got` must be a private copy.
check_outcome check(const expectation& e, const void* got);

} // namespace ke
