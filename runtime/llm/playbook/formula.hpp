#pragma once

#include "runtime/llm/playbook/task.hpp"

#include <string>

namespace ke::playbook {

/// A reference written from the problem's formula, for a reference that cannot be read; empty if the formula
/// cannot be read either. `[NAME[i,j] =] EXPRESSION` over the tensors and scalars: `x[i,k]` is an element,
/// plain `x` the one whose dims carry the result's own indices, `sum(k: EXPRESSION)` and `max(k: EXPRESSION)`
/// run over an index that the result does not have. Sums are made in float (double for f64), first to last.
std::string reference_of_formula(const task& t);

} // namespace ke::playbook
