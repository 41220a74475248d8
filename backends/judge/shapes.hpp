#pragma once

#include "backends/judge/secret_random.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// A binding of the symbols, with every tensor's shape.
struct bound_shapes {
  std::string name; ///< workload's, or "secret N"
  std::map<std::string, std::int64_t> dims;
  std::vector<std::vector<std::int64_t>> shapes; ///< per tensor
  std::vector<std::size_t> elements;             ///< per tensor
  bool secret = false;
};

/// The extents as "M=1,N=2".
std::string dims_text(const std::map<std::string, std::int64_t>& dims);

/// Of all tensors together.
std::size_t elements_of(const bound_shapes& shapes);

/// The index of the one with the fewest elements; those too small to show much only if there are no others.
/// `all` must not be empty.
std::size_t smallest_of(const std::vector<bound_shapes>& all);

/// The index of the one with the most elements, among indices that `may` accepts (empty: all); nothing if
/// there is none.
std::optional<std::size_t> largest_where(const std::vector<bound_shapes>& all,
                                         const std::function<bool(std::size_t)>& may = {});

/// `invalid`, naming tensor and workload: a shape is not a whole number >= 0, or a symbol of `dims` is
/// unbound.
result<bound_shapes> bind_shapes(const problem& what, const std::string& name,
                                 const std::map<std::string, std::int64_t>& dims);

/// Those of all workloads, in their order.
result<std::vector<bound_shapes>> bind_workloads(const problem& what);

/// At most `count` shapes that the candidate has not seen: odd, prime, one, one more and one less, around
/// vectors and blocks, within the problem's promises (shape_rules). Symbols that are small (<= 8) or equal in
/// all timed workloads move in some of them only. The caller must first run the reference and drop shapes
/// that it does not survive.
std::vector<bound_shapes> secret_shapes(const problem& what, std::size_t count, std::size_t most_elements,
                                        random_source& random);

/// As many as a judgement takes; more if the problem promises something, or some may be no shapes of the
/// problem. Always one with each promised symbol at its upper end, and one with each symbol at each kind of
/// extent (extents), if the problem has such a shape. At most `most_elements` per tensor.
std::vector<bound_shapes> secret_shapes(const problem& what, random_source& random,
                                        std::size_t most_elements = std::size_t{1} << 18);

/// A shape nearly as large as this workload's, with every movable extent smaller by an odd number: no vector
/// and no block divides it. Nothing if the rules leave none. The caller must run the reference on it first.
std::optional<bound_shapes> shape_beside(const problem& what, const bound_shapes& workload,
                                         random_source& random);

/// Whether the problem states that this is one of its shapes: only dims of [problem.promise] differ from some
/// workload. Precondition: its rules allow it.
bool is_promised(const problem& what, const std::map<std::string, std::int64_t>& dims);

/// Shapes that are an edge: all movable symbols at their least, and each of them 0 alone ("M = 0") with the
/// others as in `from`. Restricted as secret shapes are; the caller finds out whether the reference survives
/// them.
std::vector<bound_shapes> edge_shapes(const problem& what, const std::map<std::string, std::int64_t>& from);

} // namespace ke
