#pragma once

#include "runtime/core/types.hpp"

#include <compare>
#include <map>
#include <set>
#include <string>

namespace ke {

/// Devices whose times can be compared: of one announced name, with the same compiler and flags.
struct device_class {
  std::string name;
  std::string environment; ///< of what a worker announces: the digest of its toolchain, and its flags

  auto operator<=>(const device_class&) const = default;
};

device_class class_of(const device_info& d);

/// Names of the workers that offer such a device now.
using class_offers = std::map<device_class, std::set<std::string>>;

/// Whether anybody offers a device of this name.
bool offered(const class_offers& offers, const std::string& device);

/// Whether anybody but `worker` does, in whatever environment.
bool offered_by_another(const class_offers& offers, const std::string& device, const std::string& worker);

/// Who is not to confirm what `measured_by` found on `device`: they themselves, and, as long as somebody else
/// has that device in an environment of theirs, all who have it in another one.
std::set<std::string> not_to_confirm(const class_offers& offers, const std::string& device,
                                     const std::set<std::string>& measured_by);

} // namespace ke
