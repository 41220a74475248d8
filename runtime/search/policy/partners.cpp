#include "runtime/search/policy/partners.hpp"

#include "runtime/search/index/rank_index.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <algorithm>
#include <functional>

namespace ke {

bool is_above(const tree_index& tree, std::uint32_t above, std::uint32_t node) {
  while (node > above) // a parent is older than its children
    node = tree[node].ahead > above ? tree[node].ahead : tree[node].parent;
  return node == above;
}

void partners::begin(std::uint32_t first) {
  begins_.push_back(first);
  best_of_start_.push_back(0);
}

std::size_t partners::start_of(const tree_index& tree, std::uint32_t node) const {
  if (begins_.empty())
    return 0;
  auto after = std::upper_bound(begins_.begin(), begins_.end(), tree.draft_of(node));
  return static_cast<std::size_t>(after - begins_.begin());
}

void partners::scored(const tree_index& tree, std::uint32_t node, double priority) {
  auto key = rank_key(priority, node);
  auto& of_start = best_of_start_[start_of(tree, node)];
  of_start = std::max(of_start, key);
  if (best_.size() == most && key < best_.back())
    return;
  best_.insert(std::lower_bound(best_.begin(), best_.end(), key, std::greater<>{}), key);
  if (best_.size() > most)
    best_.pop_back();
}

std::optional<std::uint32_t> partners::beside(const tree_index& tree, std::uint32_t parent,
                                              random_source& random) const {
  for (int draws = 0; draws < 4 && !best_.empty(); ++draws) {
    auto other = node_of(best_[random.below(best_.size())]);
    if (!is_above(tree, std::min(parent, other), std::max(parent, other)))
      return other;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> partners::of_another_start(const tree_index& tree, std::uint32_t parent,
                                                        random_source& random) const {
  if (begins_.empty())
    return std::nullopt;
  const auto own = start_of(tree, parent);
  std::uint64_t best = 0;
  for (int draws = 0; draws < 2; ++draws) {
    auto start = random.below(begins_.size()); // of all but the own one
    best = std::max(best, best_of_start_[start < own ? start : start + 1]);
  }
  return best ? std::optional{node_of(best)} : std::nullopt;
}

std::optional<std::uint32_t> partners::of_newest_start(const tree_index& tree, std::uint32_t parent) const {
  if (begins_.empty() || !best_of_start_.back() || start_of(tree, parent) == begins_.size())
    return std::nullopt;
  return node_of(best_of_start_.back());
}

void partners::load(image_reader& in) {
  begins_ = in.list<std::uint32_t>();
  best_.clear();
  best_of_start_.assign(begins_.size() + 1, 0);
}

} // namespace ke
