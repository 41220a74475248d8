#pragma once

#include "actors/fleet/fleet.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/net/client_command.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ke {

struct control_reply {
  std::string json;
  int exit_code = 0;
};

/// One command of a client. `reply` may be called from any thread, even hours later (a full disk); only the
/// first call counts.
struct control_request {
  client_command command;
  bool trusted = false; ///< it may name programs, folders and keys of this machine
  std::function<void(control_reply)> reply;
};

struct control_options {
  std::shared_ptr<directory> names;
  /// Carries out one command. Must not block; an exception's text goes to the client.
  std::function<void(control_request)> carry_out;
  /// Adds a listener for events; returns how to remove it.
  std::function<std::function<void()>(std::function<void(const std::string&)>)> subscribe;
};

/// {"error": TEXT}
control_reply refusal(const std::string& why, int exit_code);

/// Clients of the control socket: one command a frame, an answer when it is there, and for `watch` a stream
/// of events until the client leaves. Nothing a client sends ends this actor.
///
///   <- frame_in (command), peer_lost   from the gateway
///   <- command_done                    from itself, when a command's reply is there
///   <- exit                            once the commands in hand are answered, or two seconds later
///
/// Supervisor: root, permanent. Detached: busy campaigns don't delay it, and it waits for nobody.
caf::behavior control(caf::event_based_actor* self, control_options options);

} // namespace ke
