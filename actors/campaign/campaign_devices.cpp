#include "actors/campaign/campaign_keeper.hpp"

#include "runtime/observe/log.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::chrono::seconds patience_with_devices{10}; ///< for the first worker to attach

} // namespace

std::vector<std::string> keeper::targets_of(const std::string& backend) const {
  std::vector<std::string> patterns;
  for (const auto& t : fold_.books().settings().targets)
    if (t.backend == backend)
      patterns.push_back(t.device);
  return patterns;
}

std::vector<std::string> keeper::missing_targets(const std::string& backend) const {
  auto patterns = targets_of(backend);
  if (auto c = capacity_.find(backend); c != capacity_.end())
    std::erase_if(patterns, [&](const std::string& p) { return device_of(c->second, p) != nullptr; });
  return patterns;
}

std::uint32_t keeper::slots_of(const std::string& backend) const {
  auto s = slots_.find(backend);
  return s == slots_.end() ? 0 : s->second;
}

std::string keeper::why_missing(const std::string& backend) const {
  auto c = capacity_.find(backend);
  if (c != capacity_.end() && !c->second.why.empty())
    return c->second.why;
  if (c != capacity_.end() && c->second.slots > 0)
    return "no attached device of the backend " + backend + " has a name like that";
  return "no worker has attached that offers the backend " + backend;
}

void keeper::look_for_devices() {
  auto soon = self_->clock().now() - begun_ < patience_with_devices;
  std::set<std::pair<std::string, std::string>> missing;
  std::string why;
  bool some = false, lost = false, early = false;
  for (const auto& tree : fold_.trees()) {
    const auto& backend = tree.backend();
    auto patterns = missing_targets(backend);
    auto c = capacity_.find(backend);
    auto was_there = c != capacity_.end() && !c->second.why.empty();
    some = some || patterns.empty();
    lost = lost || (!patterns.empty() && was_there);
    early = early || (!patterns.empty() && !was_there && soon); // it may be on its way
    if (!patterns.empty())
      why += (why.empty() ? "" : "; ") + why_missing(backend);
    if (was_there || !soon)
      for (auto& p : patterns)
        missing.emplace(backend, std::move(p));
  }
  for (const auto& [backend, pattern] : missing)
    if (!told_missing_.contains({backend, pattern})) {
      auto text = waiting_text(backend, pattern) + ": " + why_missing(backend);
      log::warn("campaign", "a target has no device", {{"backend", backend}, {"why", text}});
      if (options_.publish)
        options_.publish(event(
            "waiting", {{"backend", backend}, {"device", pattern}, {"state", "waiting"}, {"text", text}}));
    }
  for (const auto& [backend, pattern] : told_missing_)
    if (!missing.contains({backend, pattern}) && options_.publish)
      options_.publish(event("waiting", {{"backend", backend},
                                         {"device", pattern},
                                         {"state", "over"},
                                         {"text", "a device of " + backend + " is there"}}));
  told_missing_ = std::move(missing);
  if (early && !some)
    return;
  if (some)
    why.clear();
  auto was = std::exchange(no_device_, why);
  auto was_lost = std::exchange(lost_device_, lost && !some);
  if (was == no_device_ || (!was_lost && !lost_device_))
    return; // one that has never been there is no trouble: its tree waits
  if (why.empty())
    log::info("campaign", "a device is there again; going on");
  else if (was.empty())
    log::error("campaign", "no device is left; waiting until one is back", {{"why", why}});
  if (options_.publish)
    options_.publish(event("trouble", {{"kind", why.empty() ? "none" : "device"},
                                       {"text", why.empty() ? "a device is there again" : why}}));
}

status_facts keeper::facts_of_status() const {
  status_facts facts{.live = true,
                     .in_flight = fold_.books().in_flight(),
                     .trouble = lost_device_ ? no_device_ : std::string{},
                     .set_aside = fold_.books().set_aside()};
  for (const auto& tree : fold_.trees()) {
    const auto& backend = tree.backend();
    for (const auto& pattern : missing_targets(backend))
      facts.waiting.push_back({backend, pattern, waiting_text(backend, pattern)});
    auto a = admissions_.find(tree.number());
    if (a == admissions_.end() || !missing_targets(backend).empty())
      continue;
    using progress = admission::progress;
    auto at = a->second.at;
    auto text = at == progress::measuring ? "the reference is measured before any model is asked"
                : at == progress::resting
                    ? "the reference could not be measured, it is tried again: " + a->second.why
                : at == progress::refused ? "left out: " + a->second.why
                                          : std::string{};
    if (!text.empty())
      for (const auto& pattern : targets_of(backend))
        facts.waiting.push_back({backend, pattern, text});
  }
  return facts;
}

} // namespace ke
