#include "actors/campaign/second_device.hpp"

#include "runtime/core/device_name.hpp"

#include <algorithm>
#include <string_view>

namespace ke {

std::string exact_pattern(const std::string& device) {
  std::string exactly;
  for (auto letter : device) {
    if (std::string_view{"*?[]\\"}.find(letter) != std::string_view::npos)
      exactly += '\\';
    exactly += letter;
  }
  return exactly;
}

std::optional<second_device> second_device_of(const capacity& c, const std::string& pattern,
                                              const journal_claimed& claim) {
  if (claim.worker.empty() || claim.device.empty())
    return std::nullopt;
  auto kind = kind_of_device(claim.device);
  bool others = false, alone = true; // of its environment's workers; where the worker has gone, of any
  for (const auto& [cls, workers] : c.offered_by)
    if (cls.name == kind && workers.contains(claim.worker))
      alone = false, others = others || workers.size() > 1;
  if (others || (alone && offered(c.offered_by, kind)))
    return second_device{exact_pattern(kind), {claim.worker}, {}};
  if (alone)
    return std::nullopt;
  auto other = std::find_if(c.devices.begin(), c.devices.end(), [&](const device_info& d) {
    return d.state == "ok" && d.name != claim.device && kind_of_device(d.name) == kind &&
           names_device(pattern, d.name) && c.offered_by.contains(class_of(d)) &&
           c.offered_by.at(class_of(d)).contains(claim.worker);
  });
  if (other == c.devices.end())
    return std::nullopt;
  return second_device{exact_pattern(kind), {}, {claim.worker, other->name}};
}

} // namespace ke
