#pragma once

/// The only file that includes CAF, precompiled for this room. Written for CAF 0.17.6;
/// docs/decisions/0001-caf-0.17.md lists what later versions changed. Actors use these names where versions
/// differ; else only spawn, send, monitor and behaviors of CAF.
#include <caf/all.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace ke {

/// Declares a struct that travels between actors of one process only: moved or shared, never serialised by
/// CAF.
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

/// Keeps the text of an uncaught exception in the exit reason, for the supervisor (CAF 0.17 prints and drops
/// it).
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
