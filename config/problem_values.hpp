#pragma once

#include "runtime/core/problem.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ke {

/// What is wrong with what a tensor says of its values (init, range, promise): key and sentence each.
std::vector<std::pair<std::string, std::string>> value_faults(const problem& of, const tensor_spec& t);

/// What is wrong with a scalar's range, which is not empty; an empty text: nothing.
std::string range_fault(const scalar_spec& s);

} // namespace ke
