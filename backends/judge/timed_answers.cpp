#include "backends/judge/stopwatch.hpp"
#include "backends/judge/timing.hpp"

#include <algorithm>

// What timed calls are given, and what their answers are held against: the baseline's, of the same pair.

namespace ke {

status timing::set_rules(timed_workload& w, const bank_slot& like) {
  w.rules.resize(task_.what.tensors.size());
  for (std::size_t t = 0; t < w.rules.size(); ++t) {
    w.rules[t].dtype = task_.what.tensors[t].dtype;
    if (task_.what.tensors[t].role != tensor_role::in)
      w.rules[t].rule = truths_.rule_beside_reference(t, like);
  }
  return pick_pools(w);
}

result<double> timing::own_slot_s(const timed_workload& w) {
  if (w.is_mixed())
    return 0.0;
  auto start = steady::now();
  for (std::size_t t = 0; t < w.rules.size(); ++t)
    if (task_.what.tensors[t].role != tensor_role::in) {
      const auto& said = truths_.reference_outputs()[t];
      (void)check(expect(w.rules[t].dtype, said.data(), false, w.shapes.elements[t], w.rules[t].rule),
                  said.data());
    }
  double check_s = seconds_since(start);
  auto draw_s = truths_.draw_s(w.shapes);
  return draw_s ? result<double>{check_s + *draw_s} : draw_s;
}

/// Where the driver mixes, and each input's elements are drawn alike.
status timing::pick_pools(timed_workload& w) {
  w.picks.clear();
  if (!seam_.mix)
    return ok;
  std::vector<std::string> picks;
  for (std::size_t t = 0; t < task_.what.tensors.size(); ++t) {
    picks.emplace_back();
    if (task_.what.tensors[t].role == tensor_role::out) {
      constexpr std::size_t few = 4096; // of them the same would come again and again
      if (w.rubbish && w.shapes.elements[t] > few)
        picks.back() = w.rubbish->pool(t);
      continue;
    }
    auto pool = truths_.pool_of(t, w.shapes);
    if (!pool)
      return pool.error();
    if (pool->empty())
      return ok;
    picks.back() = *std::move(pool);
  }
  w.picks = std::move(picks);
  return ok;
}

status timing::mix_for(timed_workload& w, caller& a, caller& b) {
  if (w.is_mixed() && w.mixed.pools.empty())
    for (const auto& bytes : w.picks) {
      auto pool = bytes.empty() ? result<std::shared_ptr<const driver_pool>>{nullptr} : a.pool(bytes);
      if (!pool)
        return pool.error();
      w.mixed.pools.push_back(*std::move(pool));
    }
  const auto* mixed = w.is_mixed() ? &w.mixed : nullptr;
  a.mix_from(mixed);
  b.mix_from(mixed);
  return ok;
}

allowed_results timing::allowed_by(const side_by_side& sides, caller::outcome& own,
                                   std::span<const bank_slot* const> slots, const timed_workload& w) const {
  allowed_results all(slots.size());
  if (own.call.end == call_end::done)
    own.agreed = caller::agree(sides.reference, sides.candidate, w.rules);
  for (std::size_t s = 0; s < slots.size(); ++s) {
    bool has_truth = !slots[s]->outputs.empty();
    if (has_truth && s < own.agreed.size())
      own.agreed[s] = false; // its own is what counts
    if (has_truth || own.call.end != call_end::done || (s < own.agreed.size() && own.agreed[s]))
      continue;
    all[s].resize(w.rules.size());
    for (std::size_t t = 0; t < w.rules.size(); ++t)
      if (task_.what.tensors[t].role != tensor_role::in)
        all[s][t] = expect(w.rules[t].dtype, sides.reference.output(s, t).data(), false, w.shapes.elements[t],
                           w.rules[t].rule);
  }
  return all;
}

} // namespace ke
