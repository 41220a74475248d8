#include "runtime/fleet/device_class.hpp"

#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"

#include <algorithm>

namespace ke {

device_class class_of(const device_info& d) {
  auto fact = [&](const char* name) {
    auto f = d.facts.find(name);
    return f == d.facts.end() ? std::string{} : f->second;
  };
  return {kind_of_device(d.name), digest_of_parts({fact("toolchain"), fact("flags")})};
}

bool offered(const class_offers& offers, const std::string& device) {
  return std::any_of(offers.begin(), offers.end(), [&](const auto& o) { return o.first.name == device; });
}

bool offered_by_another(const class_offers& offers, const std::string& device, const std::string& worker) {
  return std::any_of(offers.begin(), offers.end(), [&](const auto& o) {
    return o.first.name == device && o.second.size() > o.second.count(worker);
  });
}

std::set<std::string> not_to_confirm(const class_offers& offers, const std::string& device,
                                     const std::set<std::string>& measured_by) {
  std::set<std::string> peers, strangers;
  for (const auto& [cls, workers] : offers) {
    if (cls.name != device)
      continue;
    auto theirs = std::any_of(measured_by.begin(), measured_by.end(),
                              [&](const auto& w) { return workers.contains(w); });
    (theirs ? peers : strangers).insert(workers.begin(), workers.end());
  }
  auto avoided = measured_by;
  if (std::any_of(peers.begin(), peers.end(), [&](const auto& w) { return !measured_by.contains(w); }))
    avoided.insert(strangers.begin(), strangers.end());
  for (const auto& w : peers) // a worker may have two such devices
    if (!measured_by.contains(w))
      avoided.erase(w);
  return avoided;
}

} // namespace ke
