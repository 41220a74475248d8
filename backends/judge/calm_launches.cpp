// Others' work beside a measurement: it waits for them, measures again what they disturbed, and says how much they left.
#include "backends/judge/stopwatch.hpp"
#include "backends/judge/timing.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ke {

bool timing::is_calm() const {
  return !bands_.cpu_tells || others_.is_calm(others_seen_);
}

/// While others work, waits, and what was measured beside them is measured again, as long as there is time for it.
status timing::calm_launch(evidence& found) {
  const auto before = found.launches.size();
  for (;;) {
    const bool waits = bands_.cpu_tells && held_s_ < plan_.hold_s && (control_.empty() || !is_calm());
    held_s_ += waits ? others_.wait_for_calm(plan_.hold_s - held_s_) : 0;
    auto begun = steady::now();
    if (auto s = launch(found); !s || !is_sound(found))
      return s;
    if (is_calm() || held_s_ >= plan_.hold_s) {
      beside_others_ += is_calm() ? 0 : 1;
      return ok;
    }
    found.launches.resize(before);
    control_.pop_back();
    held_s_ += seconds_since(begun);
    ++repeated_;
  }
}

/// What this kind of device's runs differ by, and more where a candidate leaves no processor to the rest of the
/// system, or others take theirs.
usual_spread timing::spread_of(bool loud) const {
  const bool by_graph = task_.what.policy.graph_launch && bands_.by_graph.launch > 0;
  auto spread = by_graph ? bands_.by_graph : bands_.spread;
  auto there = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  bool on_all = bands_.cpu_tells && cores_busy() > there - 0.9; // calls begin and end on one
  for (auto [so, times] : {std::pair{on_all, bands_.on_all_processors}, {loud, bands_.beside_others}})
    if (so)
      spread = {std::max(spread.launch, times.launch), std::max(spread.run, times.run)};
  return spread;
}

} // namespace ke
