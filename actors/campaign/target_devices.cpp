#include "actors/campaign/target_devices.hpp"

#include "runtime/core/device_name.hpp"
#include "runtime/observe/log.hpp"

#include <algorithm>
#include <chrono>

namespace ke {
namespace {

constexpr std::chrono::seconds patience_with_devices{10}; ///< for the first worker to attach

bool fits(const device_info& d, const std::string& pattern) {
  return d.state == "ok" && names_device(pattern, d.name);
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

void target_devices::offered(const capacity& c) {
  capacity_[c.backend] = c;
  slots_[c.backend] = missing(c.backend).empty() ? slots_for(c, targets_of(c.backend)) : 0;
}

const capacity* target_devices::of(const std::string& backend) const {
  auto c = capacity_.find(backend);
  return c == capacity_.end() ? nullptr : &c->second;
}

std::vector<std::string> target_devices::targets_of(const std::string& backend) const {
  std::vector<std::string> patterns;
  for (const auto& t : journal_.settings().targets)
    if (t.backend == backend)
      patterns.push_back(t.device);
  return patterns;
}

std::vector<std::string> target_devices::missing(const std::string& backend) const {
  auto patterns = targets_of(backend);
  if (const auto* c = of(backend))
    std::erase_if(patterns, [&](const std::string& p) { return device_of(*c, p) != nullptr; });
  return patterns;
}

std::uint32_t target_devices::slots_of(const std::string& backend) const {
  auto s = slots_.find(backend);
  return s == slots_.end() ? 0 : s->second;
}

void target_devices::note_facts(const std::string& backend) {
  if (auto& facts = facts_[backend]; !facts)
    facts =
        std::make_shared<const device_info>(*device_of(capacity_.at(backend), targets_of(backend).front()));
}

std::string target_devices::why_missing(const std::string& backend) const {
  const auto* c = of(backend);
  if (c && !c->why.empty())
    return c->why;
  if (c && c->slots > 0)
    return "no attached device of the backend " + backend + " has a name like that";
  return "no worker has attached that offers the backend " + backend;
}

void target_devices::look() {
  auto now = look_around();
  tell_missing(std::move(now.missing));
  if (now.early && !now.some)
    return;
  if (now.some)
    now.why.clear();
  auto was = std::exchange(none_left_, now.why);
  auto was_lost = std::exchange(lost_, now.lost && !now.some);
  if (was == none_left_ || (!was_lost && !lost_))
    return; // one that has never been there is no trouble: its tree waits
  auto back = none_left_.empty();
  if (back)
    log::info("campaign", "a device is there again; going on");
  else if (was.empty())
    log::error("campaign", "no device is left; waiting until one is back", {{"why", none_left_}});
  journal_.publish(
      journal_.event("trouble", {{"kind", back ? "none" : "device"},
                                 {"text", back ? std::string{"a device is there again"} : none_left_}}));
}

target_devices::survey target_devices::look_around() const {
  survey s;
  auto soon = journal_.now() - journal_.begun() < patience_with_devices;
  for (const auto& tree : journal_.trees()) {
    const auto& backend = tree.backend();
    auto patterns = missing(backend);
    const auto* c = of(backend);
    auto was_there = c && !c->why.empty();
    s.some = s.some || patterns.empty();
    s.lost = s.lost || (!patterns.empty() && was_there);
    s.early = s.early || (!patterns.empty() && !was_there && soon);
    if (!patterns.empty())
      s.why += (s.why.empty() ? "" : "; ") + why_missing(backend);
    if (was_there || !soon)
      for (auto& p : patterns)
        s.missing.emplace(backend, std::move(p));
  }
  return s;
}

void target_devices::tell_missing(std::set<std::pair<std::string, std::string>> missing) {
  auto tell = [&](const std::string& backend, const std::string& pattern, const char* state,
                  const std::string& text) {
    journal_.publish(journal_.event(
        "waiting", {{"backend", backend}, {"device", pattern}, {"state", state}, {"text", text}}));
  };
  for (const auto& [backend, pattern] : missing)
    if (!told_missing_.contains({backend, pattern})) {
      auto text = waiting_text(backend, pattern) + ": " + why_missing(backend);
      log::warn("campaign", "a target has no device", {{"backend", backend}, {"why", text}});
      tell(backend, pattern, "waiting", text);
    }
  for (const auto& [backend, pattern] : told_missing_)
    if (!missing.contains({backend, pattern}))
      tell(backend, pattern, "over", "a device of " + backend + " is there");
  told_missing_ = std::move(missing);
}

} // namespace ke
