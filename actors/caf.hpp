#pragma once

/// The only file that includes CAF, precompiled for this room. It is written for CAF 0.17.6; what later
/// versions changed is listed in docs/decisions/0001-caf-0.17.md. Actors use the names below where 0.17 and
/// later differ, and nothing else of CAF but spawn, send, monitor and behaviors.
#include <caf/all.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace ke {

/// Declares a struct that travels between actors of one process only: it is moved or shared, never serialised
/// by CAF.
#define KE_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)

/// Sends `message` to `self` after `delay` of the actor system's clock (virtual in tests). It can't be
/// cancelled: carry a sequence number and ignore stale ones.
template <class Self, class Message>
void after(Self* self, std::chrono::nanoseconds delay, Message message) {
  self->delayed_send(self, caf::timespan{delay}, std::move(message));
}

/// A reference that neither keeps the actor alive nor closes a cycle with it; `send_weak` to a dead one is a
/// no-op.
using weak_actor = caf::actor_addr;

template <class Message>
void send_weak(const weak_actor& to, Message message) {
  if (auto strong = caf::actor_cast<caf::actor>(to))
    caf::anon_send(strong, std::move(message));
}

template <class Self>
weak_actor weak(Self* self) {
  return caf::actor_cast<weak_actor>(self);
}

/// Turns an uncaught exception into an exit reason that keeps its text, so that the supervisor sees why (CAF
/// 0.17 prints and drops it).
template <class Self>
void keep_exception_text(Self* self) {
  self->set_exception_handler([](std::exception_ptr& e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      return caf::make_error(caf::sec::runtime_error, x.what());
    } catch (...) {
      return caf::make_error(caf::sec::runtime_error, "unknown exception");
    }
  });
}

/// Human text of an exit reason.
std::string text_of(const caf::error& why);

/// Whether an actor ended on purpose: a normal end, or a shutdown asked for by its supervisor.
inline bool is_normal(const caf::error& why) {
  return !why || why == caf::exit_reason::normal || why == caf::exit_reason::user_shutdown;
}

} // namespace ke
