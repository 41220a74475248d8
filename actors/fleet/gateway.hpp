#pragma once

#include "actors/fleet/fleet.hpp"
#include "actors/supervision/directory.hpp"

#include <functional>
#include <memory>

namespace ke {

struct gateway_options {
  std::shared_ptr<directory> names;
  /// Opens the transport with these events; called at each (re)start.
  std::function<result<std::shared_ptr<transport_port>>(transport_events)> listen;
};

/// Owns the coordinator's transport. Frames of workers go to the fleet, commands of clients to `control`.
///
///   -> transport_is   to fleet and control
///   <- frame_in, peer_lost   from the transport thread
///
/// Supervisor: root, permanent, before the fleet. A transport that can't be opened is a crash with its text.
caf::behavior gateway(caf::event_based_actor* self, gateway_options options);

} // namespace ke
