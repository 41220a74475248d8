#pragma once

#include "runtime/core/problem.hpp"

#include <string>
#include <vector>

namespace ke_test {

/// A kernel whose bottleneck is known by the way it is made.
struct known_kernel {
  std::string name;
  ke::problem what;                     ///< its reference is the candidate
  std::vector<std::string> bottlenecks; ///< what may be said of it; the first is what it was made for
  std::string cause;
};

/// Three that every roofline must tell apart (stream, FMA, pointer chase), and ten more.
std::vector<known_kernel> known_kernels();

} // namespace ke_test
