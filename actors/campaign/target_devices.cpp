#include "actors/campaign/target_devices.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace ke {
namespace {

bool fits(const device_info& d, const std::string& pattern) {
  return d.state == "ok" && fnmatch(pattern.c_str(), d.name.c_str(), 0) == 0;
}

} // namespace

const device_info* device_of(const capacity& c, const std::string& pattern) {
  if (c.slots == 0)
    return nullptr;
  auto d = std::find_if(c.devices.begin(), c.devices.end(), [&](const auto& x) { return fits(x, pattern); });
  return d == c.devices.end() ? nullptr : &*d;
}

std::string waiting_text(const std::string& backend, const std::string& pattern) {
  return "waiting for " + (pattern == "*" ? "a device of " + backend : pattern);
}

/// Workers say how many slots they have, not which device has them: a device's share is what there is on
/// average.
std::uint32_t slots_for(const capacity& c, const std::vector<std::string>& patterns) {
  std::uint64_t all = 0, ours = 0;
  for (const auto& d : c.devices) {
    all += d.state == "ok";
    ours += std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return fits(d, p); });
  }
  if (c.slots == 0 || ours == 0)
    return 0;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, c.slots * ours / all));
}

} // namespace ke
