#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/messages/evaluation_messages.hpp"
#include "runtime/core/device_info.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// The first device of the capacity that is in service and fits a target's pattern; null: none is attached.
/// Pure.
const device_info* device_of(const capacity& c, const std::string& pattern);

/// "waiting for nvidia-h200": text for people about a target without a device.
std::string waiting_text(const std::string& backend, const std::string& pattern);

/// The backend's slots, in proportion to the devices that fit one of the patterns; at least one if any does.
/// Pure.
std::uint32_t slots_for(const capacity& c, const std::vector<std::string>& patterns);

/// What the attached workers offer a campaign's targets, and what people were told about those that wait. A
/// tree waits until all of its targets have a device. Owns the capacities; not thread-safe.
class target_devices {
public:
  explicit target_devices(const campaign_journal& journal) : journal_{journal} {}

  /// The newest word on one backend.
  void offered(const capacity& c);
  const capacity* of(const std::string& backend) const; ///< null: nothing was heard of it

  std::vector<std::string> targets_of(const std::string& backend) const; ///< patterns, in order
  /// Targets of the backend without a fitting device in service.
  std::vector<std::string> missing(const std::string& backend) const;
  std::uint32_t slots_of(const std::string& backend) const; ///< 0 while a target is missing
  /// Of the device that prompts tell: the first one that was seen once the backend was complete.
  const std::shared_ptr<const device_info>& facts_of(const std::string& backend) { return facts_[backend]; }
  void note_facts(const std::string& backend);

  /// Tells people which targets wait for a device, and whether the campaign waits because no tree has one.
  void look();
  /// Why no tree has a device; empty: one has, or may get one soon.
  const std::string& none_left() const { return none_left_; }
  /// The same, if one was there before: a trouble.
  std::string trouble() const { return lost_ ? none_left_ : std::string{}; }

private:
  struct survey {
    std::set<std::pair<std::string, std::string>> missing; ///< backend and pattern, to be told
    std::string why;
    bool some = false;  ///< a tree has all of its devices
    bool lost = false;  ///< a backend had devices before
    bool early = false; ///< a worker may be on its way
  };
  survey look_around() const;
  void tell_missing(std::set<std::pair<std::string, std::string>> missing);
  std::string why_missing(const std::string& backend) const;

  const campaign_journal& journal_;
  std::map<std::string, capacity> capacity_;   ///< by backend
  std::map<std::string, std::uint32_t> slots_; ///< of these, for the targets
  std::map<std::string, std::shared_ptr<const device_info>> facts_;
  std::set<std::pair<std::string, std::string>> told_missing_; ///< backend and pattern
  std::string none_left_;
  bool lost_ = false;
};

} // namespace ke
