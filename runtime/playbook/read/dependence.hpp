#pragma once

#include "runtime/playbook/read/ast.hpp"
#include "runtime/playbook/read/poly.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ke::playbook {

/// Assumptions of the analysis: distinct tensors do not overlap, sizes are not negative.
struct kernel_facts {
  std::map<std::string, std::vector<poly>> shapes; ///< by tensor parameter, over the kernel's own names
  std::set<std::string> sizes;                     ///< the parameters that are dims
};

struct loop_range {
  std::string name;
  poly from, to; ///< from <= name < to
};

/// The range of a loop; nullopt if a bound is not a polynomial.
std::optional<loop_range> range_of(const stmt& loop);

/// True only if no iteration of `loop` can touch what another one writes: they may run in any order, or at
/// once. `outer` are the loops around it, outermost first.
bool independent(const stmt& loop, const std::vector<loop_range>& outer, const kernel_facts& facts);
/// The same for memory alone: ignores scalars carried from one iteration to the next.
bool memory_independent(const stmt& loop, const std::vector<loop_range>& outer, const kernel_facts& facts);

/// The largest (or least) value of `e` over the ranges of `loops`, the innermost (last) eliminated first;
/// nullopt: unknown.
std::optional<poly> extreme(poly e, const std::vector<loop_range>& loops, bool largest,
                            const std::set<std::string>& sizes);

/// True only if the element exists for every iteration of `loops` that runs: each dimension stays within the
/// declared shape.
bool surely_in_bounds(const std::string& array, const poly& subscript, const std::vector<loop_range>& loops,
                      const kernel_facts& facts);

enum class carry_kind : std::uint8_t { sum, product, maximum, minimum, scan, unknown };

/// A scalar that lives across the iterations of a loop.
struct carried_scalar {
  std::string name;
  value_type type = value_type::unknown;
  carry_kind kind = carry_kind::unknown;
};

/// Scalars declared outside the loop's body and changed in it. A `sum` (`+=`, `-=`), `product`, `maximum` or
/// `minimum` is used for nothing else in the body; a `scan` is one `+=` at the top of the body with other
/// reads in it.
std::vector<carried_scalar> carried_scalars(const stmt& loop);

/// The other operand if `e` is max/min/fmax/fmin of `accumulator` and an operand without it; else null.
expr_ptr extremum_operand(const expr_ptr& e, const std::string& accumulator);

} // namespace ke::playbook
