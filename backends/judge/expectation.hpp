#pragma once

#include "runtime/core/problem.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace ke {

/// The rule of one output tensor. Exact: bytes equal the reference's (any NaN equals any NaN: which one an
/// operation yields is the processor's affair), or, for integers with a tolerance of their own, |y - t| <=
/// relative |t| + absolute. Otherwise |y - t| <= relative |t| + absolute, or with `larger`: <= max(relative
/// |t|, absolute) + the dtype's smallest normal number (f16: its smallest number). With `of_largest` the
/// largest finite |t| of the tensor stands in the place of each element's own.
struct comparison_rule {
  bool exact = false;
  bool larger = false;
  bool of_largest = false;
  double relative = 0;
  double absolute = 0;
};

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Unit roundoff; 0 for integers.
double unit_roundoff(dtype d);

/// trust.md 2.4 for this problem and dtype: c u g S with c = 4, g = 4 + sqrt(k), k the reduction length (the
/// number of inputs behind one output, 1 for pointwise), and |t| for S, which for sums is its lower bound.
/// 16-bit outputs are rounded once, from sums that are at least 32 bits wide: 4 (u + u32 g). `absolute` is
/// left 0: it comes from the reference's own error, which stands in for S where terms cancel. `widened`: the
/// truth was computed in wider arithmetic; without it the fallback tolerances of the page hold.
/// `equal_terms`: how many of the k may be equal. Added in order, equal terms lose the same in every step
/// while the sum stays between two powers of two: half a unit in its last place at most. Over all steps that
/// is 3/8 of `equal_terms` u of the sum, whatever stands between them; half of `equal_terms` u is allowed for
/// it. `transforms`: with `scale = "tensor"`, how many times as far as a sum they may err.
comparison_rule rule_for(const problem& what, dtype d, bool widened, double reduction = 1,
                         double equal_terms = 0, double transforms = 1);

/// How far the reference itself is from the truth, beyond the rounding of its output. Negative: the two
/// disagree on which elements are finite, so no rule can be derived from this input.
double reference_error(dtype d, const void* truth, bool wide, const void* reference, std::size_t elements);

/// What a tensor may hold, as an interval per element, so that a check is two comparisons.
struct expectation {
  ke::dtype dtype = ke::dtype::f32;
  std::size_t elements = 0;
  std::string exact; ///< not empty: these bytes
  std::vector<float> low,
      high; ///< f32, f16, bf16; low > high where the truth is not a number; -inf..inf: exempt
  std::vector<double> low64, high64;
  std::string exempt;                ///< with `exact`: 1 where anything will do; empty: nowhere
  double relative = 0, absolute = 0; ///< with `exact`, integers: their own tolerance
  std::size_t bytes() const;
};

/// Whatever stands there will do, a NaN too.
void exempt_element(expectation& e, std::size_t i);
/// How many elements are so.
std::size_t exempt_elements(const expectation& e);

/// Element `i` of a truth in wider arithmetic, as the dtype can say it: what is too large is infinite.
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
