#include "interface/cli/trajectory_groups.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ke::cli {

std::string_view split_of(std::string_view operator_name) {
  auto digits = digest_of("ke operator: " + std::string{operator_name}).substr(0, 8);
  return std::stoul(digits, nullptr, 16) % 5 == 0 ? "test" : "train";
}

std::optional<double> reward_in_tree(const tree_row& row) {
  switch (row.state) {
  case node_state::noisy:
  case node_state::unfit_problem:
  case node_state::harness_error:
  case node_state::compiled:
    return std::nullopt;
  case node_state::correct:
    return row.score < 0 ? reward_floor : row.score > 0 ? shaped_speedup(row.score) : 0;
  case node_state::unanswered:
    return 0;
  default:
    return has_verdict(row.state) ? std::optional{0.0} : std::nullopt;
  }
}

double step_group::advantage(double reward) const {
  return deviation > 0 ? (reward - mean) / deviation : 0;
}

const step_group& step_groups::of(std::uint32_t node) {
  auto parent = tree_[node].parent;
  group_key key{parent, tree_[node].operation};
  if (auto known = groups_.find(key); known != groups_.end())
    return known->second;
  struct sums {
    std::uint64_t n = 0;
    double mean = 0, squares = 0; // Welford's, so that many equal rewards deviate by exactly 0
  };
  std::array<sums, names_of<operation_kind>::value.size()> all;
  for (auto child = tree_[parent].first_child; child != no_node; child = tree_[child].next_sibling) {
    const auto& row = tree_[child];
    auto r = reward_in_tree(row);
    if (!r || (row.state == node_state::unanswered && !answered_(child)))
      continue;
    auto& s = all[static_cast<std::size_t>(row.operation)];
    ++s.n;
    auto off = *r - s.mean;
    s.mean += off / static_cast<double>(s.n);
    s.squares += off * (*r - s.mean);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& g = groups_[{parent, static_cast<operation_kind>(i)}];
    g.size = all[i].n;
    g.mean = all[i].mean;
    g.deviation = all[i].n > 0 ? std::sqrt(std::max(0.0, all[i].squares / static_cast<double>(all[i].n))) : 0;
  }
  return groups_.at(key);
}

} // namespace ke::cli
