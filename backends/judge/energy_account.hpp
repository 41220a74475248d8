#pragma once

#include <span>

namespace ke {

/// When a device's count of the energy that it has used moved on, s, and what it said then, J.
struct energy_tick {
  double s = 0, joules = 0;
};

/// Joules of one of several orders that ran one behind the other: the device's mean power from the first to the last tick,
/// times what an order took from end to end. `ends`: when each was done, s, rising. 0: too few of either, for a count moves
/// on ten times a second only. Pure.
double joules_per_order(std::span<const energy_tick> ticks, std::span<const double> ends);

} // namespace ke
