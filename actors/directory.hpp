#pragma once

#include "actors/caf.hpp"

#include <map>
#include <mutex>
#include <string>

namespace ke {

/// Names of the long-lived actors. A restarted actor has a new handle, so peers hold a name and look it up
/// when they send. Keeps nobody alive. Any thread.
class directory {
public:
  void set(const std::string& name, const caf::actor& who) {
    std::lock_guard lock{mutex_};
    names_[name] = caf::actor_cast<weak_actor>(who);
  }

  /// Sends to the actor of that name as it is now; false if there is none (it is being restarted: senders
  /// must be able to lose this).
  template <class Message>
  bool send(const std::string& name, Message message) const {
    auto to = find(name);
    if (!to)
      return false;
    caf::anon_send(to, std::move(message));
    return true;
  }

  caf::actor find(const std::string& name) const {
    std::lock_guard lock{mutex_};
    auto i = names_.find(name);
    return i == names_.end() ? caf::actor{} : caf::actor_cast<caf::actor>(i->second);
  }

private:
  mutable std::mutex mutex_;
  std::map<std::string, weak_actor> names_;
};

} // namespace ke
