#pragma once

#include "backends/judge/shapes.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace ke {

/// `workload` with every large extent that may move divided by the same power of two, as its promise allows, until all
/// tensors together have no more elements. Nothing: its rules leave no such shape.
std::optional<bound_shapes> smaller_shape(const problem& what, const bound_shapes& workload,
                                          std::size_t most_elements);

/// At which sizes an untimed task is checked whose candidates are slow (an interpreter's). Bounded by elements alone,
/// never by how long a candidate takes: who is slow on purpose gains nothing. What is smaller is told. Pure.
class checked_sizes {
public:
  /// `most_elements` of all tensors of a workload together; 0: as the problem says.
  explicit checked_sizes(std::size_t most_elements) : most_{most_elements} {}

  /// The workload's shape, or a smaller one, where its rules leave one.
  bound_shapes of(const problem& what, bound_shapes own);
  /// How many samples of a distribution are drawn.
  std::size_t samples(std::size_t usual) const { return most_ ? std::min<std::size_t>(usual, 2) : usual; }
  /// Elements of a tensor of a secret shape. A program of a grid costs an interpreter 2 to 6 ms, and there may be one for
  /// each element: all of them together stay below a call's limit.
  std::size_t of_secrets() const {
    constexpr std::size_t usual = std::size_t{1} << 18;
    return most_ ? std::min<std::size_t>(usual, std::max<std::size_t>(most_ / 256, 256)) : usual;
  }
  /// Says what is smaller than usual.
  void tell(std::map<std::string, std::string>& provenance) const;

private:
  std::size_t most_;
  std::string workloads_;
};

} // namespace ke
