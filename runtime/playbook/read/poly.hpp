#pragma once

#include "runtime/playbook/read/ast.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ke::playbook {

/// A polynomial with integer coefficients over loop variables and sizes: the exact meaning of a subscript
/// such as `(n*C + c)*L + p + k`. Terms map sorted factor lists to coefficients; there are no zero
/// coefficients.
struct poly {
  std::map<std::vector<std::string>, std::int64_t> terms;
  bool operator==(const poly&) const = default;

  static poly constant(std::int64_t value);
  static poly variable(const std::string& name);
  bool mentions(const std::string& name) const;
  std::optional<std::int64_t> as_constant() const;
  /// The factor of `name` if it occurs linearly; nullopt for higher powers.
  std::optional<poly> coefficient(const std::string& name) const;
  poly substitute(const std::string& name, const poly& by) const;
  /// True only if it is at least 0 for all values >= 0 of `sizes`; false with any other name.
  bool surely_nonnegative(const std::set<std::string>& sizes) const;
};

poly operator+(const poly& a, const poly& b);
poly operator-(const poly& a, const poly& b);
poly operator*(const poly& a, const poly& b);

/// nullopt if the expression is not a polynomial (division, array elements, calls) or reads a name in
/// `varying`.
std::optional<poly> to_poly(const expr_ptr& e, const std::set<std::string>& varying = {});
expr_ptr to_expr(const poly& p);
/// Whether neighbouring values of `variable` read neighbouring elements.
bool contiguous(const expr_ptr& subscript, const std::string& variable);

struct division {
  poly quotient, remainder;
};
/// p = quotient * by + remainder; the leading term of `by` (not zero) divides no term of the remainder.
division divide(const poly& p, const poly& by);

/// The subscript per dimension of a row-major array: the inverse of ((i*d1 + j)*d2 + k). Does not check
/// bounds.
std::vector<poly> delinearize(const poly& subscript, const std::vector<poly>& shape);

} // namespace ke::playbook
