// What calls cost in energy, once for each workload that is timed: a figure for people.
#include "backends/judge/timing.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/measure_plan.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace ke {

status timing::note_energy(evidence& found, const side_by_side& sides) {
  constexpr double each_s = 0.6; // of a side: half a dozen ticks of a device's count
  constexpr std::size_t most_workloads = 4;
  bool first = found.launches.size() == workloads_.size();
  if (!seam_.energy || task_.plan == measure_plan::rank || !first)
    return ok;
  for (auto& w : std::span{workloads_}.first(std::min(most_workloads, workloads_.size()))) {
    if (auto s = place(w, sides.reference, sides.candidate); !s)
      return s;
    std::vector<const bank_slot*> slots;
    for (const auto& f : w.filler)
      if (slots.size() < w.calls)
        slots.push_back(&f);
    for (auto [side, name, is_candidate] : {std::tuple{&sides.reference, "reference.", false},
                                            std::tuple{&sides.candidate, "candidate.", true}}) {
      side->by_graph(task_.what.policy.graph_launch);
      double joules = side->energy(slots, each_s, limit_of(w, is_candidate));
      if (joules > 0)
        found.counters[std::string{counter_keys::energy_mj_of} + name + w.shapes.name] =
            1e3 * joules / static_cast<double>(slots.size());
    }
  }
  return ok;
}

} // namespace ke
