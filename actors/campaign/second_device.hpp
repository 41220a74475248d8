#pragma once

#include "actors/messages/evaluation_messages.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/fleet/placement.hpp"

#include <optional>
#include <set>
#include <string>

namespace ke {

/// Where a claim can be measured once more on other hardware of the same class.
struct second_device {
  std::string pattern;         ///< of its announced name
  std::set<std::string> avoid; ///< workers that are not to do it
  fleet_device prefer;         ///< of the claim's own worker, if nobody else has one
};

/// The pattern that means this announced device and no other. Pure.
std::string exact_pattern(const std::string& device);

/// Another worker with such a device in the claim's environment, or another such device of the same worker. Empty:
/// there is none now, or the claim does not say where it was measured. Pure.
std::optional<second_device> second_device_of(const capacity& c, const std::string& pattern,
                                              const journal_claimed& claim);

} // namespace ke
