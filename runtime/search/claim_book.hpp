#pragma once

#include "runtime/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// A candidate's place among a campaign's trees.
using tree_node = std::pair<std::uint32_t, std::uint32_t>; ///< tree, node

/// Which candidates have been measured again for a claim, and what came of it (trust.md 2.6: a search's own
/// score picks the luckiest of many; what is published comes from measurements that had no part in the
/// choice). A fold of `claimed` records. Pure.
class claim_book {
public:
  struct entry {
    tree_node who;
    std::vector<journal_claimed> targets; ///< as far as they have been measured
    std::uint32_t of = 1;                 ///< targets of its tree
    double search_score = 0;              ///< the one that it was chosen for

    bool complete() const { return targets.size() >= of; }
    /// Complete, correct on all targets and, of a timed campaign, faster on the whole: the worst of the
    /// targets' decisions speaks.
    bool confirmed(bool timed) const;
    double score() const; ///< geometric mean of the targets' lower bounds; 0 without
  };

  void add(const journal_claimed& r, std::uint32_t targets, double search_score);

  const entry* find(tree_node who) const;
  bool measured(tree_node who) const; ///< on all targets
  /// The confirmed one with the highest score.
  const entry* champion(bool timed) const;
  /// By how much the search has overrated what was claimed so far, at most 1.5; 1 if it has not.
  double shrinkage() const;
  const std::vector<entry>& all() const { return entries_; } ///< in the order of the first record
  void restore(std::vector<entry> entries) { entries_ = std::move(entries); }

private:
  std::vector<entry> entries_;
};
KE_FIELDS(claim_book::entry, x.who, x.targets, x.of, x.search_score)

} // namespace ke
