#include "backends/judge/energy_account.hpp"

#include <cstddef>

namespace ke {

double joules_per_order(std::span<const energy_tick> ticks, std::span<const double> ends) {
  constexpr std::size_t least_ticks = 4, least_orders = 3; // a tick's time is known to some ms
  if (ticks.size() < least_ticks || ends.size() < least_orders)
    return 0;
  const double between_ticks = ticks.back().s - ticks.front().s,
               used = ticks.back().joules - ticks.front().joules,
               an_order = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1);
  return between_ticks > 0 && used > 0 ? used / between_ticks * an_order : 0;
}

} // namespace ke
