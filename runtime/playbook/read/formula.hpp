#pragma once

#include "runtime/playbook/read/task.hpp"

#include <string>

namespace ke::playbook {

/// A reference written from the problem's formula, for a reference that cannot be read; empty if the formula
/// cannot be read either. Form: `[NAME[i,j] =] EXPRESSION` over tensors and scalars. `x[i,k]` is an element;
/// plain `x` has the result's own indices; `sum(k: EXPRESSION)` and `max(k: EXPRESSION)` run over an index
/// not in the result. Sums are in float (double for f64), first to last.
std::string reference_of_formula(const task& t);

} // namespace ke::playbook
