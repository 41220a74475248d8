#pragma once

#include "runtime/search/tree.hpp"

#include <cstdint>

namespace ke {

/// The rules of the `mcts` policy, apart from its index, so that a test can apply them to every node one by
/// one.
///
/// It is the flat rank-PUCT of asynchronous program search (features.md E2): over ALL nodes that work,
///     worth(i) = R(i) + c / (1 + coarse(k(i)))
/// R(i) what the rank of i's own score among all scores is worth (arms.hpp: 1 for the best; independent of
/// the operator's time scale and of how many hopeless nodes there are), k(i) = finished and open nodes in i's
/// subtree, itself included (the open ones are the virtual loss of parallel search), c = [search]
/// exploration. c = 0 is greedy: always the best node. docs/decisions/0016 says why this differs from the
/// published form.
struct puct_rules {
  double exploration = 1;
  std::uint32_t drafts = 8;

  /// May `node` be expanded at all, by what, and with which merit does it stand among the others?
  enum class rest : std::uint8_t { never, open, widened };
  rest standing_of(const tree_index& tree, std::uint32_t node) const;
  static double merit_of(const tree_index& tree, std::uint32_t node);
  static std::uint32_t k_of(const tree_row& row) { return row.visits + row.in_flight; }
};

/// Nodes that failed are chosen apart from those that work (repairs.hpp): how many of the choices go to
/// repairs follows from how often a repair and how often an improvement beats the nearest scored ancestor. A
/// failed node may be repaired by one child at a time; an unanswered or cancelled try does not count, up to
/// `fix_tries` children. A chain of repairs is at most `fix_chain` long: so a branch whose children fail
/// costs a bounded number of candidates before it is left.
inline constexpr std::uint32_t fix_chain = 3;
inline constexpr std::uint32_t fix_tries = 3;

/// Progressive widening: a node rests while it has `widening` * sqrt(k) children or more, i.e. from 198
/// childless children on. A resting node is still expanded when nothing else can be: credit is never wasted.
inline constexpr double widening = 14;
/// The same for descent from the root, which looks at every child: a node grows while it has fewer than this
/// times sqrt(k).
inline constexpr double uct_widening = 2;

/// Verdicts that another try may mend.
bool is_fixable(node_state state);
/// Verdicts on which a better version can build: right on every call, or built where nothing can run it.
bool is_usable(node_state state);

} // namespace ke
