#pragma once

#include "runtime/core/journal.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// A candidate's place among a campaign's trees.
using tree_node = std::pair<std::uint32_t, std::uint32_t>; ///< tree, node

/// What a second device of the class says of a confirmed finalist, on the worst of its targets.
enum class second_look : std::uint8_t { none, holds, not_faster, not_measured, wrong };
KE_NAMES(second_look, 5, "none", "holds", "not_faster", "not_measured", "wrong")

/// Which candidates have been measured again for a claim, and the outcome (trust.md 2.6). A search's own
/// score picks the luckiest of many, so what is published comes from measurements with no part in the choice.
/// A fold of `claimed` records. Pure.
class claim_book {
public:
  struct entry {
    tree_node who;
    std::vector<journal_claimed> targets;   ///< as far as measured
    std::uint32_t of = 1;                   ///< targets of its tree
    double search_score = 0;                ///< the score for which it was chosen
    std::vector<journal_claimed> elsewhere; ///< of a second device of the class, as far as measured

    bool complete() const { return targets.size() >= of; }
    /// Complete, correct on all targets and, in a timed campaign, faster: the worst of the targets' decisions
    /// counts. A wrong result on the second device refutes it; a slow one is told and does not.
    bool confirmed(bool timed) const;
    /// On all targets a second device has said something, or could not.
    bool validated() const { return elsewhere.size() >= of; }
    second_look on_second(bool timed) const; ///< none: it is not validated
    double score() const;                    ///< geometric mean of the targets' lower bounds; 0 without
  };

  void add(const journal_claimed& r, std::uint32_t targets, double search_score);
  /// Of a finalist with a claim; of others nothing is kept.
  void add(const journal_validated& r);

  const entry* find(tree_node who) const;
  bool measured(tree_node who) const; ///< on all targets
  /// The confirmed one with the highest score.
  const entry* champion(bool timed) const;
  /// How much the search has overrated the claimed ones so far: 1 to 1.5.
  double shrinkage() const;
  const std::vector<entry>& all() const { return entries_; } ///< in the order of the first record
  void restore(std::vector<entry> entries) { entries_ = std::move(entries); }

private:
  std::vector<entry> entries_;
};
KE_FIELDS(claim_book::entry, x.who, x.targets, x.of, x.search_score, x.elsewhere)

} // namespace ke
