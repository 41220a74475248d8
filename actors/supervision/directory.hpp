#pragma once

#include "actors/supervision/address.hpp"
#include "actors/supervision/caf.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace ke {

/// The actor that has an address now, or nobody. Takes what the address lists. Keeps the actor alive: for the
/// length of a handler, never over a restart.
template <class... Messages>
class actor_ref {
public:
  explicit actor_ref(caf::actor who) : who_{std::move(who)} {}
  explicit operator bool() const { return static_cast<bool>(who_); }

  /// False if it is nobody.
  template <class Message>
  bool send(Message message) const {
    static_assert(address<Messages...>::template lists<Message>, "the address does not list this message");
    if (!who_)
      return false;
    caf::anon_send(who_, std::move(message));
    return true;
  }

  /// To monitor, link, end or compare it while this reference is held.
  weak_actor weak() const { return caf::actor_cast<weak_actor>(who_); }

private:
  caf::actor who_;
};

/// Names of the long-lived actors. A restarted actor has a new handle, so peers hold an address and look it
/// up when they send. Keeps nobody alive. Any thread.
class directory {
public:
  void set(const address<>& at, const caf::actor& who) {
    std::lock_guard lock{mutex_};
    actors_[at.name()] = caf::actor_cast<weak_actor>(who);
  }

  /// Spawns an actor and names it before anybody can answer it: the actor starts on a thread of its own while
  /// this one holds the lock. Other senders wait meanwhile.
  template <class Spawn>
  caf::actor start(const address<>& at, Spawn&& spawn) {
    std::lock_guard lock{mutex_};
    caf::actor who = spawn();
    actors_[at.name()] = caf::actor_cast<weak_actor>(who);
    return who;
  }

  /// Sends to the actor that has the address now; false if there is none (it is being restarted: senders
  /// must be able to lose this). A message that the address does not list does not compile.
  template <class Message, class... Messages>
  bool send(const address<Messages...>& to, Message message) const {
    return find(to).send(std::move(message));
  }

  template <class... Messages>
  actor_ref<Messages...> find(const address<Messages...>& at) const {
    std::lock_guard lock{mutex_};
    auto i = actors_.find(at.name());
    return actor_ref<Messages...>{i == actors_.end() ? caf::actor{} : caf::actor_cast<caf::actor>(i->second)};
  }

private:
  mutable std::recursive_mutex mutex_; ///< `start` may begin an actor on this very thread
  std::map<actor_name, weak_actor> actors_;
};

} // namespace ke
