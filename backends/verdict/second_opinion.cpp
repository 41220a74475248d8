#include "backends/verdict/second_opinion.hpp"

#include "runtime/core/verdict_state.hpp"

#include <algorithm>

namespace ke {

opinion weigh(const verdict& first, const verdict& second) {
  if (says_nothing(second.state))
    return opinion::undecided;
  auto confirms = second.state == verdict_state::correct && second.score && first.score;
  return confirms && *first.score < *second.score ? opinion::first : opinion::second;
}

double beliefs::highest(const place& where) const {
  auto highest = highest_.find(where);
  return highest == highest_.end() ? 0.0 : highest->second;
}

bool beliefs::beyond(const place& where, double score) const {
  auto best = best_.find(where);
  return score > beyond_factor * (best == best_.end() ? 1.0 : best->second);
}

void beliefs::stands(const place& where, double score) {
  auto& best = best_.try_emplace(where, 1.0).first->second;
  best = std::max(best, score);
  auto& highest = highest_[where];
  highest = std::max(highest, score);
}

} // namespace ke
