#include "actors/campaign/solutions_left.hpp"

#include "backends/verdict/floor.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

namespace ke {

bool solutions_left::is_right(const judged& j) const {
  const auto& v = *j.found;
  const auto& goal = journal_.settings().goal;
  auto decided = decision_under(v, goal, j.plan);
  return v.state == verdict_state::correct &&
         (!goal.timed || (decided == timing_decision::faster && v.score));
}

void solutions_left::judged_by_search(store_batch& batch, const judged& j) {
  auto score = j.found->score.value_or(0);
  auto best = best_.find({j.node.tree, j.target});
  if (!is_right(j) || j.duplicate || (best != best_.end() && score <= best->second))
    return;
  best_[{j.node.tree, j.target}] = score;
  put(batch, j, false);
}

void solutions_left::judged_by_claim(store_batch& batch, const judged& j) const {
  if (!says_nothing(j.found->state))
    put(batch, j, true);
}

void solutions_left::put(store_batch& batch, const judged& j, bool claimed) const {
  const auto& v = *j.found;
  const auto& what = journal_.what();
  auto right = is_right(j);
  solution_row row;
  row.place = place_of(what, journal_.tree(j.node.tree).backend(), v.device);
  row.problem = what.name;
  row.problem_digest = journal_.books().problem_digest();
  row.source_digest = v.candidate;
  row.verdict_digest = j.verdict_digest;
  row.timed = journal_.settings().goal.timed || !right; // a refuted untimed one has no score to tell it
  row.claimed = claimed;
  row.score = right ? v.score.value_or(0) : 0;
  if (right && v.timing) {
    row.speedup = v.timing->speedup;
    row.low = v.timing->low;
    row.high = v.timing->high;
  }
  if (v.diagnosis)
    row.bottleneck = v.diagnosis->bottleneck;
  row.store = journal_.options().store_id;
  row.campaign = journal_.settings().name;
  row.node = j.node;
  row.target = j.target;
  row.measured_unix_ms = journal_.options().unix_ms();
  row.program = KE_VERSION;
  if (auto b = baseline_of(what)) {
    row.baseline = b->name;
    row.baseline_digest = b->source.empty() ? "" : digest_of(b->source);
  }
  batch.put(table::solutions, key_of(row), pack(row));
}

} // namespace ke
