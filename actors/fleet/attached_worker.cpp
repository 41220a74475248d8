#include "actors/fleet/attached_worker.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace ke {

nlohmann::ordered_json json_of(const attached_worker& w) {
  auto devices = nlohmann::ordered_json::array(), quarantined = nlohmann::ordered_json::array();
  std::set<std::string> told;
  for (const auto& d : w.hello.devices) {
    if (!told.insert(d.name).second)
      continue;
    devices.push_back(d.name);
    if (auto reason = w.reasons.find(d.name); d.state != "ok")
      quarantined.push_back(
          {{"device", d.name}, {"reason", reason == w.reasons.end() ? "" : reason->second}});
  }
  return {{"name", w.name},
          {"devices", devices},
          {"quarantined", quarantined},
          {"state", w.state},
          {"jobs_done", w.jobs_done}};
}

} // namespace ke
