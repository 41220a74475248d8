#pragma once

#include "backends/judge/random.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// Of all its tensors.
std::size_t elements_of(const bound_shapes& shapes);

/// The index of the one with the fewest elements, but for those that are too small to show much, where there
/// are others. `all` must not be empty.
std::size_t smallest_of(const std::vector<bound_shapes>& all);

/// The index of the one with the most elements of those that `may` be taken, by index (empty: all); nothing
/// if there is none.
std::optional<std::size_t> largest_where(const std::vector<bound_shapes>& all,
                                         const std::function<bool(std::size_t)>& may = {});

/// `invalid` naming tensor and workload if a shape is not a whole number >= 0 or a symbol of `dims` is
/// unbound.
result<bound_shapes> bind_shapes(const problem& what, const std::string& name,
                                 const std::map<std::string, std::int64_t>& dims);

/// At most `count` shapes that the candidate has not been shown: odd, prime, one, one more and one less,
/// around vectors and blocks, within what the problem promises (shape_rules). Symbols that are small (<= 8)
/// or the same in all timed workloads move in some of them only. The caller must still run the reference on
/// it first and drop what the reference does not survive.
std::vector<bound_shapes> secret_shapes(const problem& what, std::size_t count, std::size_t most_elements,
                                        random_source& random);

/// As many as a judgement takes: more where the problem promises something, or some of them may not be shapes
/// of the problem, and in any case one with each promised symbol at its upper end and one with each symbol at
/// an extent of each kind (extents), where the problem has such a shape; of at most 2^18 elements per tensor.
std::vector<bound_shapes> secret_shapes(const problem& what, random_source& random);

/// A shape as large as this workload's, in which every extent that may move is a little less, by an odd
/// number: no vector and no block divides it. Nothing if the rules leave none. The caller must run the
/// reference on it first.
std::optional<bound_shapes> shape_beside(const problem& what, const bound_shapes& workload,
                                         random_source& random);

/// Whether the problem itself says that this is one of its shapes, so that nothing of it is assumed: what
/// differs from some workload are dims of [problem.promise] alone. Precondition: its rules allow it.
bool is_promised(const problem& what, const std::map<std::string, std::int64_t>& dims);

/// Shapes that are an edge: every symbol that may move at its least at once, and each of them 0 alone ("M =
/// 0"), the others as in `from`. Under the same restrictions as secret shapes; whether the reference survives
/// them is for the caller to find out.
std::vector<bound_shapes> edge_shapes(const problem& what, const std::map<std::string, std::int64_t>& from);

} // namespace ke
