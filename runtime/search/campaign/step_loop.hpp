#pragma once

#include "runtime/search/campaign/campaign_state.hpp"
#include "runtime/search/campaign/search_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ke {

/// A mean that follows changes: a new value weighs a tenth, the first ones more.
class moving_mean {
public:
  void add(double x) { mean_ += (x - mean_) / std::min(++count_, 10.0); }
  double value() const { return mean_; } ///< 0 before the first

private:
  double mean_ = 0, count_ = 0;
};

/// How many candidates to begin now, from what this session has measured of models and devices. Pure; not
/// thread-safe.
class step_loop {
public:
  /// A candidate came this long after its step: prompt, commit, queue and model together.
  void candidate_came(double seconds) { latency_.add(seconds); }
  /// A measurement took this long on its device. Duplicates are not measured.
  void measured(double device_s) { evaluation_.add(device_s); }

  /// For one tree with so many device slots; within `parallel` and the budget. 0: none.
  std::uint32_t to_begin(const search_tree& tree, const campaign_state& books, std::uint32_t slots) const;

private:
  moving_mean latency_, evaluation_; ///< seconds
};

/// Nodes that have a source and no verdict yet.
std::size_t in_evaluation(const tree_index& tree);

} // namespace ke
