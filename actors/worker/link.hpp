#pragma once

#include "actors/messages/fleet_messages.hpp"
#include "actors/supervision/directory.hpp"
#include "actors/worker/worker_messages.hpp"
#include "backends/evaluation/backend.hpp"
#include "runtime/fleet/departure.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ke {

struct link_options {
  std::shared_ptr<directory> names;
  std::function<result<std::shared_ptr<transport_port>>(transport_events)> connect;
  wire::hello_body hello; ///< name, boot, devices, slots, labels
  std::vector<backend> backends;
  evaluate_options evaluation; ///< sandbox, folders; limits and seed come with the job
  /// Folder of results that wait for acknowledgement; survives restarts of the worker.
  std::string results;
  std::function<void(failure)> refused; ///< the coordinator will never take us: for main
  std::function<void()> attached;       ///< optional; each time the coordinator takes us
  std::shared_ptr<departure> leaving;   ///< optional
  /// Failures of the machine in a row on one device before it is tested. Fewer than a job's tries
  /// (evaluator), so that no candidate pays for them.
  unsigned suspect_after = 2;
};

/// `leaving` was asked for; without this message the link notices a little later.
struct drain_worker {};
struct blob_in {
  std::string digest, bytes;
};

/// The worker's side of the wire: accepts grants up to its slots, fetches content, keeps results until they
/// are acknowledged.
///
///   <- frame_in, peer_lost, blob_in   from the transport thread
///   -> build_assignment               to builder
///   -> measure_assignment             to devices
///   -> cancel_assignment              to both
///   <- assignment_stage, assignment_built, assignment_done, device_state_changed
///   -> suspect_device                 to devices, when evaluations keep failing through no fault of the
///                                     candidates
///
/// Supervisor: the worker's root, permanent, first. When it fails, assignments in hand begin again once their
/// leases end.
caf::behavior link(caf::event_based_actor* self, link_options options);

} // namespace ke

KE_MESSAGE(ke::drain_worker)
KE_MESSAGE(ke::blob_in)
