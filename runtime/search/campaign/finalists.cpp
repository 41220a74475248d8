#include "runtime/search/campaign/finalists.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/search/campaign/dispatchers.hpp"

namespace ke {
namespace {

struct contender {
  tree_node who;
  double score = -1;
  bool dispatcher = false; ///< made because it promises more than the others, or keeps what they do not

  bool before(const contender& other) const {
    return dispatcher != other.dispatcher ? dispatcher : score > other.score;
  }
};

/// The best of those that `may` be taken, dispatchers first; of equal ones (duplicates have their original's
/// score) the first.
template <class Condition>
std::optional<contender> best_of(const campaign_fold& fold, Condition may) {
  auto timed = fold.books().settings().goal.timed;
  std::optional<contender> best;
  for (const auto& t : fold.trees())
    for (std::uint32_t n = 1; n < t.tree().size(); ++n) {
      const auto& row = t.tree()[n];
      if (row.state != node_state::correct || (timed && row.decision != timing_decision::faster))
        continue;
      auto score = timed ? row.score : 0;
      contender c{{t.number(), n}, score, is_dispatcher(row)};
      if ((!best || c.before(*best)) && may(c))
        best = c;
    }
  return best;
}

} // namespace

std::optional<tree_node> next_finalist(const campaign_fold& fold) {
  const auto& claims = fold.books().claims();
  auto timed = fold.books().settings().goal.timed;
  std::size_t measured = 0;
  for (const auto& e : claims.all())
    measured += e.complete();
  const auto* champion = claims.champion(timed);
  if (measured >= most_finalists || (champion && !timed))
    return std::nullopt;
  auto next = best_of(fold, [&](const contender& c) {
    if (claims.measured(c.who) || (champion && c.score <= champion->score()))
      return false;
    for (const auto& e : claims.all()) // the same candidate again
      if (timed && e.complete() && e.who.first == c.who.first && e.search_score == c.score)
        return false;
    return true;
  });
  return next ? std::optional{next->who} : std::nullopt;
}

std::optional<tree_node> goal_candidate(const campaign_fold& fold) {
  const auto& books = fold.books();
  const auto& goal = books.settings().goal;
  const auto& best = books.best();
  if (best.node == no_node || (goal.timed && !(goal.target_speedup > 0)))
    return std::nullopt;
  auto needed = goal.timed ? goal.target_speedup * books.claims().shrinkage() : 0;
  if (goal.timed && best.score < needed)
    return std::nullopt; // the usual case, without a look at the nodes
  auto next =
      best_of(fold, [&](const contender& c) { return c.score >= needed && !books.claims().measured(c.who); });
  return next ? std::optional{next->who} : std::nullopt;
}

} // namespace ke
