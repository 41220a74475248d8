#pragma once

#include "actors/directory.hpp"
#include "actors/fleet.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ke {

struct control_reply {
  std::string json;
  int exit_code = 0;
};

struct control_options {
  std::shared_ptr<directory> names;
  /// Carries out one command (blocking, on this actor's own thread).
  std::function<control_reply(const std::string& json)> carry_out;
  /// Adds a listener for events; returns how to remove it.
  std::function<std::function<void()>(std::function<void(const std::string&)>)> subscribe;
};

/// Clients of the control socket: one command a frame, its answer, and for `watch` the stream of events until
/// the client leaves.
///
///   <- frame_in (command), peer_lost   from the gateway
///
/// Supervisor: root, permanent. Detached: commands may wait for commits.
caf::behavior control(caf::event_based_actor* self, control_options options);

} // namespace ke
