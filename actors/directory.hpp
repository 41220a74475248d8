#pragma once

#include "actors/caf.hpp"

#include <map>
#include <mutex>
#include <string>

namespace ke {

/// Names of the long-lived actors. A restart changes an actor's handle, so peers hold the name and look it up
/// to send. Keeps nobody alive. Any thread.
class directory {
public:
  void set(const std::string& name, const caf::actor& who) {
    std::lock_guard lock{mutex_};
    names_[name] = caf::actor_cast<weak_actor>(who);
  }

  /// Spawns an actor and names it before anybody can answer it: the actor starts on a thread of its own while
  /// this one holds the lock. Other senders wait meanwhile.
  template <class Spawn>
  caf::actor start(const std::string& name, Spawn&& spawn) {
    std::lock_guard lock{mutex_};
    caf::actor who = spawn();
    names_[name] = caf::actor_cast<weak_actor>(who);
    return who;
  }

  /// Sends to the present actor of that name. False: there is none (it is being restarted); senders must bear
  /// the loss.
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
  mutable std::recursive_mutex mutex_; ///< `start` may begin an actor on this very thread
  std::map<std::string, weak_actor> names_;
};

} // namespace ke
