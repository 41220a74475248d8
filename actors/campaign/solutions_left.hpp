#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/messages/evaluation_messages.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace ke {

/// What a campaign leaves for later ones (runtime/core/solution.hpp): each new best of a target, and each
/// claim. Owns the best score left by this session; not thread-safe.
class solutions_left {
public:
  explicit solutions_left(const campaign_journal& journal) : journal_{journal} {}

  /// A verdict of the search. A row is put if it is right and the best of its target so far.
  void judged_by_search(store_batch& batch, const judged& j);
  /// A verdict of a claim: a row is put unless it says nothing new. A refuted one has the score 0.
  void judged_by_claim(store_batch& batch, const judged& j) const;

private:
  bool is_right(const judged& j) const;
  void put(store_batch& batch, const judged& j, bool claimed) const;

  const campaign_journal& journal_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> best_; ///< by tree and target
};

} // namespace ke
