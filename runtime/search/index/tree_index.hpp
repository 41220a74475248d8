#pragma once

#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/search/index/chunked.hpp"
#include "runtime/search/index/operation_kind.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ke {

enum class timing_decision : std::uint8_t;

/// Everything that selection knows of a node. One cache line: each step from a leaf to the root costs one
/// miss, and a million nodes fit in 64 MB. Sources, prompts and verdicts are in the store.
struct alignas(64) tree_row {
  std::uint32_t parent = no_node;
  std::uint32_t first_child = no_node; ///< the youngest; its elders follow by next_sibling
  std::uint32_t next_sibling = no_node;
  std::uint32_t children = 0;
  std::uint32_t visits = 0;    ///< finished nodes in the subtree, itself included
  std::uint32_t in_flight = 0; ///< open nodes in the subtree, itself included
  double value = 0;            ///< sum of the subtree's rewards
  double score = -1;           ///< own, geometric mean over targets; -1: none
  float best = -1;             ///< highest score in the subtree
  std::uint16_t depth = 0;     ///< saturates
  std::uint16_t attempts = 0;  ///< requests made for it
  node_state state = node_state::planned;
  timing_decision decision{}; ///< none
  operation_kind operation = operation_kind::draft;
  memory_kind memory = memory_kind::clean;
  std::uint8_t model = 0;         ///< index into search_tree's model names
  std::uint8_t fixes = 0;         ///< length of the chain of fix operations that ends here
  std::uint8_t second : 1 = 0;    ///< has a second parent, see tree_index::parent2
  std::uint8_t duplicate : 1 = 0; ///< an earlier node had this candidate: nothing grows from here
  std::uint8_t situation : 3 = 0; ///< in which `memory` was chosen (memory.hpp)
  std::uint32_t ahead = 0;        ///< the ancestor `look_ahead` levels up, or the root: a walk prefetches it
};
static_assert(sizeof(tree_row) == 64);

/// Rows that a walk to the root fetches from memory at once.
inline constexpr unsigned look_ahead = 8;
inline constexpr std::size_t most_top = 12; ///< of tree_index::top

/// The worth of a finished candidate, in [0, 1]; this value is backed up. After features.md E2:
///   failed or without a verdict                   0
///   correct                                       floor + (1 - floor) * clip(log2(score) / log2(goal), 0, 1)
///   right, not timed (noisy, untimed campaign)    floor = 0.05
/// By the logarithm, equal relative gains are worth the same wherever they happen; the floor keeps "right but
/// slow" above "wrong". `goal` <= 1: none was set; 8 stands in for it.
double reward_of(node_state state, double score, double goal);

/// The compact index of one search tree. Node 0 is the reference itself: score 1, correct, no parents.
/// Statistics are backed up along primary edges only; a second parent is provenance. Adding a child or ending
/// a node costs O(depth), everything else O(1). Not thread-safe.
class tree_index {
public:
  /// `targets` >= 1: verdicts that end a node.
  explicit tree_index(std::uint32_t targets = 1, double goal = 0);

  /// The reference root included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint32_t targets() const { return targets_; }
  const tree_row& operator[](std::uint32_t node) const { return rows_[node]; }
  /// For the bookkeeping fields only: attempts, memory, model.
  tree_row& edit(std::uint32_t node) { return rows_[node]; }
  std::uint32_t parent2(std::uint32_t node) const;
  std::vector<std::uint32_t> parents(std::uint32_t node) const;  ///< primary first; empty for the root
  std::vector<std::uint32_t> children(std::uint32_t node) const; ///< primary children, oldest first

  /// A new open node (`planned`). Ids count up from 1. parent < size().
  std::uint32_t add_child(std::uint32_t parent, operation_kind operation, std::uint32_t parent2 = no_node);

  /// Moves an open node between open states. False, without effect, if it has ended or `state` is not open.
  bool progress(std::uint32_t node, node_state state);

  /// One target's verdict. The last one ends the node: `correct` if all are, else the first other state; the
  /// score is the geometric mean. True if it ended now. No effect on an ended node or a judged target.
  bool judge(std::uint32_t node, std::uint32_t target, node_state state, timing_decision decision,
             std::optional<double> score);

  /// Ends an open node without a verdict. Not a visit: a provider's failure says nothing about the branch.
  bool end(std::uint32_t node, node_state state);

  /// The kind of a candidate (journal_replied); 0 until known.
  void describe(std::uint32_t node, std::uint32_t descriptor);
  std::uint32_t descriptor(std::uint32_t node) const {
    return node < descriptors_.size() ? descriptors_[node] : 0;
  }
  /// What the first target's tools said of a candidate, opaque (cells.hpp); 0 until known, and if they said nothing.
  void measure(std::uint32_t node, std::uint32_t bins);
  std::uint32_t measured(std::uint32_t node) const { return node < measured_.size() ? measured_[node] : 0; }
  /// The draft that a node descends from, itself if it is one; 0 for the root. O(depth / look_ahead).
  std::uint32_t draft_of(std::uint32_t node) const;

  std::optional<double> score(std::uint32_t node,
                              std::uint32_t target) const; ///< empty: none, or not yet judged
  bool judged(std::uint32_t node, std::uint32_t target) const;

  /// Highest own score, oldest first; 0 while no candidate has one.
  std::uint32_t best() const { return best_; }
  /// The nodes of the highest own scores, best first, equal ones oldest first; without duplicates, `most_top` at most.
  const std::vector<std::uint32_t>& top() const { return top_; }
  /// Candidates, without the root.
  std::uint64_t count(node_state state) const { return counts_[static_cast<std::size_t>(state)]; }
  std::uint64_t in_flight() const { return rows_[0].in_flight; }
  std::uint64_t ended() const { return size() - 1 - in_flight(); }
  void goal(double g) { goal_ = g; } ///< for rewards from now on
  /// The score of the nearest ancestor that has one; the root's is 1, the reference's.
  double score_before(std::uint32_t node) const;
  double reward(std::uint32_t node) const { return reward_of(rows_[node].state, rows_[node].score, goal_); }
  double reward_of_best(std::uint32_t node) const { ///< of the best in the node's subtree; 0: none is correct
    return rows_[node].best < 0 ? 0 : reward_of(node_state::correct, rows_[node].best, goal_);
  }

  void save(image_writer& out) const;
  void load(image_reader& in); ///< in place of this tree
  std::size_t bytes() const;

private:
  struct target_result {
    double score = -1;
    node_state state = node_state::planned;
    timing_decision decision{}; ///< none
  };
  const target_result* result_at(std::uint32_t node, std::uint32_t target) const;
  void set_state(tree_row& row, node_state state);
  void close(std::uint32_t node, bool visit);
  void note_top(std::uint32_t node);

  chunked<tree_row, 32768> rows_;
  chunked<std::uint32_t> descriptors_; ///< by node, up to the last known one
  chunked<std::uint32_t> measured_;    ///< likewise
  chunked<target_result> results_;     ///< only with several targets: node * targets + target
  std::unordered_map<std::uint32_t, std::uint32_t> second_parents_;
  std::array<std::uint64_t, names_of<node_state>::value.size()> counts_{};
  std::uint32_t targets_;
  std::uint32_t best_ = 0;
  std::vector<std::uint32_t> top_; ///< of rows_, so no image has it
  double goal_;
};

} // namespace ke
