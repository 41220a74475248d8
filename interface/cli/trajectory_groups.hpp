#pragma once

#include "runtime/core/reward.hpp"
#include "runtime/search/index/tree_index.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ke::cli {

/// "test" for about one operator (operator_of) in five, "train" for the rest: problems of one operator share
/// a split. A function of the operator's text alone, the same in every store and version.
std::string_view split_of(std::string_view operator_name);

/// The reward of an ended node, from the tree's row; equals the reward of the node's verdicts
/// (runtime/core/reward.hpp). 0 for an answer without usable code. Empty: undefined, or still open.
std::optional<double> reward_in_tree(const tree_row& row);

/// A step's siblings: of one parent, by one operation. Their rewards differ by the model's answer (and by how
/// much of the past the prompt showed).
struct step_group {
  std::uint64_t size = 0; ///< with a reward
  double mean = 0;
  double deviation = 0; ///< of the population
  /// (reward - mean) / deviation; 0 if all are alike.
  double advantage(double reward) const;
};

/// The groups of one tree, each counted when first asked for: O(parents) memory. One thread.
class step_groups {
public:
  /// `answered`: whether an unanswered node had an answer at all. A provider's failure is no step.
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
