#pragma once

#include "runtime/core/device_info.hpp"

#include <compare>
#include <map>
#include <set>
#include <string>

namespace ke {

/// Devices with comparable times: of one announced name, with the same compiler and flags.
struct device_class {
  std::string name;
  std::string environment; ///< announced by the worker: digest of the toolchain, and flags

  auto operator<=>(const device_class&) const = default;
};

device_class class_of(const device_info& d);

/// Names of the workers that offer such a device now, by class.
using class_offers = std::map<device_class, std::set<std::string>>;

/// Whether any worker offers a device of this name.
bool offered(const class_offers& offers, const std::string& device);

/// Whether another worker than `worker` does, in any environment.
bool offered_by_another(const class_offers& offers, const std::string& device, const std::string& worker);

/// Workers that must not confirm a measurement of `measured_by` on `device`: the workers in `measured_by`
/// themselves. If another worker offers the device in one of their environments, also all workers that offer
/// it in a different environment.
std::set<std::string> not_to_confirm(const class_offers& offers, const std::string& device,
                                     const std::set<std::string>& measured_by);

} // namespace ke
