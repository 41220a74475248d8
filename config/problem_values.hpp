#pragma once

#include "runtime/core/problem.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ke {

/// Faults in what a tensor says of its values (init, range, promise): key and sentence each.
std::vector<std::pair<std::string, std::string>> value_faults(const problem& of, const tensor_spec& t);

/// The fault in a scalar's range, which is not empty; empty text: none.
std::string range_fault(const scalar_spec& s);

} // namespace ke
