#include "runtime/search/index/tree_index.hpp"

#include "runtime/core/geometric_mean.hpp"
#include "runtime/core/reward.hpp"
#include "runtime/core/timing_decision.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace ke {

double reward_of(node_state state, double score, double goal) {
  if (state == node_state::noisy || (state == node_state::correct && score < 0))
    return reward_floor;
  if (state != node_state::correct || score <= 0)
    return 0;
  return shaped_speedup(score, goal > 1 ? goal : reward_cap);
}

tree_index::tree_index(std::uint32_t targets, double goal) : targets_{std::max(targets, 1u)}, goal_{goal} {
  tree_row root;
  root.state = node_state::correct;
  root.score = 1;
  rows_.push_back(root);
  if (targets_ > 1)
    results_.resize(targets_, {1, node_state::correct, timing_decision::none});
}

std::uint32_t tree_index::parent2(std::uint32_t node) const {
  return rows_[node].second ? second_parents_.at(node) : no_node;
}

std::vector<std::uint32_t> tree_index::parents(std::uint32_t node) const {
  std::vector<std::uint32_t> all;
  if (rows_[node].parent != no_node)
    all.push_back(rows_[node].parent);
  if (rows_[node].second)
    all.push_back(parent2(node));
  return all;
}

std::vector<std::uint32_t> tree_index::children(std::uint32_t node) const {
  std::vector<std::uint32_t> all;
  all.reserve(rows_[node].children);
  for (auto c = rows_[node].first_child; c != no_node; c = rows_[c].next_sibling)
    all.push_back(c);
  std::reverse(all.begin(), all.end());
  return all;
}

std::uint32_t tree_index::add_child(std::uint32_t parent, operation_kind operation, std::uint32_t parent2) {
  auto id = size();
  auto& p = rows_[parent];
  tree_row row;
  row.parent = parent;
  row.next_sibling = p.first_child;
  row.depth = static_cast<std::uint16_t>(std::min<unsigned>(p.depth + 1u, 0xffff));
  row.operation = operation;
  row.fixes = operation == operation_kind::fix ? static_cast<std::uint8_t>(std::min(p.fixes + 1, 255)) : 0;
  if (parent2 != no_node) {
    row.second = 1;
    second_parents_.emplace(id, parent2);
  }
  p.first_child = id;
  ++p.children;
  row.ahead = p.ahead; // an approximation until the walk below has counted the levels
  rows_.push_back(row);
  if (targets_ > 1)
    results_.resize(results_.size() + targets_);
  ++counts_[static_cast<std::size_t>(node_state::planned)];
  auto ahead = id;
  unsigned levels = 0;
  for (auto n = id; n != no_node;) {
    auto& r = rows_[n];
    rows_.prefetch(r.ahead);
    ++r.in_flight;
    if (levels++ <= look_ahead)
      ahead = n;
    n = r.parent;
  }
  rows_[id].ahead = ahead;
  return id;
}

void tree_index::describe(std::uint32_t node, std::uint32_t descriptor) {
  if (descriptor == this->descriptor(node))
    return;
  descriptors_.resize(std::size_t{node} + 1);
  descriptors_[node] = descriptor;
}

void tree_index::measure(std::uint32_t node, std::uint32_t bins) {
  if (bins == 0 || node >= size())
    return;
  if (node >= measured_.size())
    measured_.resize(std::size_t{node} + 1);
  measured_[node] = bins;
}

double tree_index::score_before(std::uint32_t node) const {
  do
    node = rows_[node].parent;
  while (rows_[node].state != node_state::correct || rows_[node].score < 0);
  return rows_[node].score;
}

std::uint32_t tree_index::draft_of(std::uint32_t node) const {
  while (rows_[node].ahead != 0 && rows_[node].ahead != node)
    node = rows_[node].ahead;
  while (node != 0 && rows_[node].parent != 0)
    node = rows_[node].parent;
  return node;
}

void tree_index::set_state(tree_row& row, node_state state) {
  --counts_[static_cast<std::size_t>(row.state)];
  row.state = state;
  ++counts_[static_cast<std::size_t>(state)];
}

bool tree_index::progress(std::uint32_t node, node_state state) {
  auto& row = rows_[node];
  if (!is_open(row.state) || !is_open(state))
    return false;
  set_state(row, state);
  return true;
}

const tree_index::target_result* tree_index::result_at(std::uint32_t node, std::uint32_t target) const {
  return targets_ > 1 && target < targets_ ? &results_[std::size_t{node} * targets_ + target] : nullptr;
}

bool tree_index::judged(std::uint32_t node, std::uint32_t target) const {
  if (auto r = result_at(node, target))
    return !is_open(r->state);
  return target == 0 && has_verdict(rows_[node].state);
}

std::optional<double> tree_index::score(std::uint32_t node, std::uint32_t target) const {
  auto r = result_at(node, target);
  auto s = r ? r->score : target == 0 ? rows_[node].score : -1;
  return s < 0 ? std::nullopt : std::optional{s};
}

bool tree_index::judge(std::uint32_t node, std::uint32_t target, node_state state, timing_decision decision,
                       std::optional<double> score) {
  auto& row = rows_[node];
  if (!is_open(row.state) || !has_verdict(state) || target >= targets_ || judged(node, target))
    return false;
  auto own = score && std::isfinite(*score) && *score >= 0 ? *score : -1;
  if (targets_ > 1) {
    auto first = std::size_t{node} * targets_;
    results_[first + target] = {own, state, decision};
    state = node_state::correct;
    decision = timing_decision::none;
    for (std::size_t t = 0; t < targets_; ++t) {
      const auto& r = results_[first + t];
      if (is_open(r.state)) {
        progress(node, node_state::measuring);
        return false;
      }
      if (state == node_state::correct)
        state = r.state;
      decision = std::max(decision, r.decision); // none < faster < same < slower: the worst of them speaks
    }
    own = geometric_mean(std::views::iota(first, first + targets_), [&](std::size_t i) {
            return results_[i].score;
          }).value_or(-1);
    if (state != node_state::correct)
      decision = timing_decision::none;
  }
  set_state(row, state);
  row.decision = decision;
  row.score = own;
  if (state == node_state::correct && own > 0 && (best_ == 0 || own > rows_[best_].score))
    best_ = node;
  note_top(node);
  close(node, true);
  return true;
}

bool tree_index::end(std::uint32_t node, node_state state) {
  auto& row = rows_[node];
  if (!is_open(row.state) || is_open(state) || has_verdict(state))
    return false;
  set_state(row, state);
  close(node, false);
  return true;
}

void tree_index::note_top(std::uint32_t node) {
  const auto& row = rows_[node];
  if (row.state != node_state::correct || row.duplicate || !(row.score > 0))
    return;
  // Of equal ones the oldest, not the first that was judged: an image is read in the order of nodes.
  auto at = std::find_if(top_.begin(), top_.end(), [&](auto n) {
    return rows_[n].score < row.score || (rows_[n].score == row.score && n > node);
  });
  if (at == top_.end() && top_.size() == most_top)
    return;
  top_.insert(at, node);
  top_.resize(std::min(top_.size(), most_top));
}

void tree_index::close(std::uint32_t node, bool visit) {
  const auto& row = rows_[node];
  auto reward = reward_of(row.state, row.score, goal_);
  auto best = row.state == node_state::correct ? static_cast<float>(row.score) : -1.0f;
  for (auto n = node; n != no_node;) {
    auto& r = rows_[n];
    rows_.prefetch(r.ahead);
    --r.in_flight;
    if (visit) {
      ++r.visits;
      r.value += reward;
      r.best = std::max(r.best, best);
    }
    n = r.parent;
  }
}

void tree_index::save(image_writer& out) const {
  rows_.save(out);
  descriptors_.save(out);
  measured_.save(out);
  results_.save(out);
  std::vector<std::array<std::uint32_t, 2>> second;
  second.reserve(second_parents_.size());
  for (auto [node, parent] : second_parents_)
    second.push_back({node, parent});
  out.list(second);
  out.value(counts_);
  out.value(targets_);
  out.value(best_);
  out.value(goal_);
}

void tree_index::load(image_reader& in) {
  rows_.load(in);
  descriptors_.load(in);
  measured_.load(in);
  results_.load(in);
  second_parents_.clear();
  for (auto [node, parent] : in.list<std::array<std::uint32_t, 2>>())
    second_parents_.emplace(node, parent);
  counts_ = in.value<decltype(counts_)>();
  targets_ = in.value<std::uint32_t>();
  best_ = in.value<std::uint32_t>();
  goal_ = in.value<double>();
  if (rows_.size() == 0 || descriptors_.size() > rows_.size() || measured_.size() > rows_.size() ||
      best_ >= rows_.size() || targets_ == 0 ||
      results_.size() != (targets_ > 1 ? rows_.size() * targets_ : 0))
    in.fail();
  top_.clear();
  for (std::uint32_t n = 1; n < size(); ++n)
    note_top(n);
}

std::size_t tree_index::bytes() const {
  return sizeof *this + rows_.bytes() + descriptors_.bytes() + measured_.bytes() + results_.bytes() +
         second_parents_.size() * 32;
}

} // namespace ke
