#pragma once

#include "runtime/core/reward.hpp"
#include "runtime/search/tree.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ke::cli {

/// "test" for about one operator (operator_of) in five, "train" for the rest: two problems of one operator
/// never fall into different splits. A function of the operator's text alone: the
/// same in every store and every version.
std::string_view split_of(std::string_view operator_name);

/// The reward of an ended node as its row in the tree knows it; the same number as the reward of its verdicts
/// (runtime/core/reward.hpp). An answer that held no usable code is 0. Empty: undefined, or still open.
std::optional<double> reward_in_tree(const tree_row& row);

/// A step's siblings: they grew from the same parent by the same operation, so that their rewards differ by
/// what the model answered (and by how much of the past its prompt showed).
struct step_group {
  std::uint64_t size = 0; ///< with a reward
  double mean = 0;
  double deviation = 0; ///< of the population
  /// (reward - mean) / deviation; 0 where all are alike.
  double advantage(double reward) const;
};

/// The groups of one tree, each counted once when it is first asked for: O(parents) memory. One thread.
class step_groups {
public:
  /// `answered`: of an unanswered node, was there an answer at all? A provider's failure is no step.
  step_groups(const tree_index& tree, std::function<bool(std::uint32_t node)> answered)
      : tree_{tree}, answered_{std::move(answered)} {}
  const step_group& of(std::uint32_t node);

private:
  using group_key = std::pair<std::uint32_t, operation_kind>;
  const tree_index& tree_;
  std::function<bool(std::uint32_t)> answered_;
  std::map<group_key, step_group> groups_;
};

} // namespace ke::cli
