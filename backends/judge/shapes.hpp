#pragma once

#include "backends/judge/random.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// A binding of the symbols with every tensor's shape worked out.
struct bound_shapes {
  std::string name; ///< workload's, or "secret N"
  std::map<std::string, std::int64_t> dims;
  std::vector<std::vector<std::int64_t>> shapes; ///< per tensor
  std::vector<std::size_t> elements;             ///< per tensor
  bool secret = false;
};

/// `invalid` naming tensor and workload if a shape is not a whole number >= 0 or a symbol of `dims` is
/// unbound.
result<bound_shapes> bind_shapes(const problem& what, const std::string& name,
                                 const std::map<std::string, std::int64_t>& dims);

/// At most `count` shapes that the candidate has not been shown: odd, prime, one, one more and one less.
/// Conservative, since a problem states no constraints: a symbol keeps its value if it is small (<= 8) or the
/// same in all of two or more workloads, stands beside `/` or `%`, or occurs in no shape; and whatever order,
/// divisibility and equality two symbols show in every workload holds in the secret shape, too. The caller
/// must still run the reference on it first and drop what the reference does not survive.
std::vector<bound_shapes> secret_shapes(const problem& what, std::size_t count, std::size_t most_elements,
                                        random_source& random);

/// Shapes that are an edge: every symbol that may move 1 at once, and each of them 0 alone ("M = 0"), the
/// others as in `from`. Under the same restrictions as secret shapes; whether the reference survives them is
/// for the caller to find out.
std::vector<bound_shapes> edge_shapes(const problem& what, const std::map<std::string, std::int64_t>& from);

} // namespace ke
