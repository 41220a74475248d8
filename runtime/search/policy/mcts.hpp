#pragma once

#include "runtime/core/node_state.hpp"
#include "runtime/search/index/tree_index.hpp"

#include <cstdint>

namespace ke {

/// The rules of the `mcts` policy, apart from its index, so that a test can apply them to every node in turn.
///
/// It is the flat rank-PUCT of asynchronous program search (features.md E2), over ALL nodes that work:
///     worth(i) = R(i) + c / (1 + k(i)), k made coarse
///     R(i)   worth of the rank of i's own score among all scores (arms.hpp): 1 for the best; independent of
///            the operator's time scale and of the number of hopeless nodes
///     k(i)   finished and open nodes in i's subtree, with i; the open ones are the virtual loss of parallel
///            search
///     c      [search] exploration; 0 is greedy: always the best node
/// docs/decisions/0016 says why this differs from the published form.
struct puct_rules {
  double exploration = 1;
  std::uint32_t drafts = 8;

  /// Whether `node` may be expanded, by what, and its priority among the others.
  enum class rest : std::uint8_t { never, open, widened };
  rest standing_of(const tree_index& tree, std::uint32_t node) const;
  static double priority_of(const tree_index& tree, std::uint32_t node);
  static std::uint32_t k_of(const tree_row& row) { return row.visits + row.in_flight; }
};

/// Failed nodes are chosen apart from working ones (repairs.hpp). The share of repairs follows from how often
/// a repair, and how often an improvement, beats the nearest scored ancestor. A failed node is repaired by
/// one child. If that one ends without a verdict (unanswered, cancelled), another may follow, up to
/// `fix_tries` children. A chain of repairs is at most `fix_chain` long, so a failing branch costs a bounded
/// number of candidates.
inline constexpr std::uint32_t fix_chain = 3;
inline constexpr std::uint32_t fix_tries = 3;

/// Progressive widening: a node rests from `widening` * sqrt(k) children on, i.e. from 198 childless
/// children. A resting node is expanded only when nothing else can be: credit is never wasted.
inline constexpr double widening = 14;
/// The same for the descent from the root, which looks at every child: a node grows while it has fewer
/// children than this times sqrt(k).
inline constexpr double uct_widening = 2;

/// Verdicts that another try may mend.
bool is_fixable(node_state state);
/// Verdicts on which a better version can build: right on every call, or built where nothing can run it.
bool is_usable(node_state state);

} // namespace ke
