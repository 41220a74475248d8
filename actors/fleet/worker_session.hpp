#pragma once

#include "actors/messages/fleet_messages.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/net/transport_port.hpp"
#include "runtime/store/store_port.hpp"

namespace ke {

struct session_options {
  std::string peer;
  std::shared_ptr<directory> names;
  std::shared_ptr<transport_port> transport;
  store_port* store = nullptr;
  std::uint64_t epoch = 0;
};

/// One attached worker process: typed messages on our side, frames on the wire. Malformed frames are counted
/// and end the session.
///
///   <- frame_in     -> worker_said (to the fleet); `want` is answered from the store
///   <- grant_job, revoke_job
///
/// Supervisor: fleet, which monitors it; temporary: it ends with its peer.
caf::behavior worker_session(caf::event_based_actor* self, session_options options);

} // namespace ke
