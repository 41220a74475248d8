// Orders of one call each, beside those that are timed: what a call is worth by itself (decisions 0059, 0063).
#include "backends/judge/timing.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::uint32_t most_replayed = 12; ///< pairs of one call by a graph: the device's work varies little
constexpr std::uint32_t least_alone = 12;   ///< pairs of one call in a launch: of fewer a median says little

} // namespace

std::uint32_t timing::singles(const timed_workload& w) const {
  if (!calls_alone(w))
    return 0;
  return w.pairs * alone_beside_a_pair(w) +
         (task_.what.policy.graph_launch ? 0 : std::min(w.pairs, most_replayed));
}

std::uint32_t timing::alone_beside_a_pair(const timed_workload& w) {
  return (least_alone + w.pairs - 1) / w.pairs;
}

result<bool> timing::single_pairs(evidence& found, const side_by_side& sides, timed_workload& w,
                                  single_calls& alone) {
  for (std::uint32_t i = 0; i < alone_beside_a_pair(w); ++i)
    if (auto one = single_pair(found, sides, w, alone); !one || !*one)
      return one;
  return true;
}

result<bool> timing::single_pair(evidence& found, const side_by_side& sides, timed_workload& w,
                                 single_calls& alone) {
  auto slots = take(w, 1);
  if (!slots)
    return slots.error();
  auto said = right_pair(found, sides, *slots, w, {limit_of(w, false), limit_of(w, true)}, found.cases);
  if (!said)
    return false;
  const auto& [usual, own] = *said;
  alone.add(usual.call.ns + charged_ns(usual), own.call.ns + charged_ns(own));
  return true;
}

status timing::replay_alone(const side_by_side& sides, timed_workload& w, single_calls& replayed) {
  evidence aside;
  sides.reference.by_graph(true);
  sides.candidate.by_graph(true);
  for (std::uint32_t i = 0; i < std::min(w.pairs, most_replayed); ++i) {
    auto one = single_pair(aside, sides, w, replayed);
    if (!one)
      return one.error();
    if (!*one)
      break;
  }
  return ok;
}

status timing::charge_savings(evidence& found, const side_by_side& sides,
                              std::vector<calls_alone_of>& alone) {
  auto first = found.launches.size() - workloads_.size();
  for (std::size_t i = 0; i < workloads_.size(); ++i) {
    auto& w = workloads_[i];
    if (!calls_alone(w))
      continue;
    if (!task_.what.policy.graph_launch) {
      if (auto s = workloads_.size() > 1 ? place(w, sides.reference, sides.candidate) : ok; !s)
        return s;
      if (auto s = replay_alone(sides, w, alone[i].replayed); !s)
        return s;
    }
    limit_savings(found, w, alone[i], found.launches[first + i]);
  }
  return ok;
}

void timing::limit_savings(evidence& found, const timed_workload& w, const calls_alone_of& alone,
                           launch_samples& samples) {
  std::vector<double> saved;
  saved.reserve(samples.candidate_ns.size());
  for (std::size_t i = 0; i < samples.candidate_ns.size(); ++i)
    saved.push_back(samples.reference_ns[i] - samples.candidate_ns[i]);
  found.counters[counter_keys::saved_us_in_order_of + w.shapes.name] = median_of(saved) / 1e3;
  found.counters[counter_keys::saved_us_alone_of + w.shapes.name] = alone.as_timed.saved_ns() / 1e3;
  if (alone.replayed.most_saved_ns())
    found.counters[counter_keys::saved_us_replayed_of + w.shapes.name] = alone.replayed.saved_ns() / 1e3;
  charge_beyond(most_saved_ns(alone), samples.reference_ns, samples.candidate_ns);
}

} // namespace ke
