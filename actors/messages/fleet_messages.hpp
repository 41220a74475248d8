#pragma once

#include "actors/supervision/address.hpp"
#include "actors/supervision/caf.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/fleet/placement.hpp"
#include "runtime/fleet/wanted_evaluations.hpp"
#include "runtime/net/transport_port.hpp"
#include "runtime/net/wire.hpp"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

// From a verdict wanted to evidence received:
//
//   evaluator          fleet          worker_session        gateway      (wire)      worker
//      |   submit_job    |                  |                  |                        |
//      |---------------->| [place, lease]   |                  |                        |
//      |                 |---- grant_job -->|----- grant ------|----------------------->|
//      |                 |                  |<---- want -------|<-----------------------|
//      |                 |                  |----- blob -------|----------------------->|
//      |    job_stage    |   worker_said    |<---- beat -------|<-----------------------|
//      |<----------------|<-----------------|                  |                        |
//      |    job_done     |   worker_said    |<---- result -----|<-----------------------|
//      |<----------------|<-----------------|                  |                        |
//      | [verdict, commit by the campaign]  |                  |                        |
//      |---------------------- ack (closure, after the commit) |----------------------->|

namespace ke {

struct capacity;
struct job_result;

struct submit_job {
  std::shared_ptr<const job> what;
  std::set<std::string> avoid = {}; ///< names of workers not to use while there is another one
  fleet_device prefer = {};         ///< where it goes if it waits no longer for it
};
/// From a campaign that has read its journal: which evaluations of an earlier life it still wants. `over`:
/// none, now and later.
struct evaluations_wanted {
  std::uint32_t campaign = 0;
  std::vector<evaluation_place> open;
  bool over = false;
};
struct cancel_job {
  std::uint64_t id = 0;
};
/// The evidence of a job's current attempt. Call `acknowledge` once the verdict is committed; any thread.
struct job_done {
  std::uint64_t id = 0;
  std::shared_ptr<const job_result> found;
  std::string worker;
  std::function<void()> acknowledge;
  std::string device = {}; ///< the worker's own name for it
};
struct job_stage {
  std::uint64_t id = 0;
  node_state stage = node_state::building;
};
/// Three workers were lost over it.
struct job_poisoned {
  std::uint64_t id = 0;
  std::string why;
};
/// Who wants to hear `capacity`, from now on and over its restarts.
struct watch_capacity {
  address<capacity> who;
};

/// A frame from a peer, or its loss, from the transport thread.
struct frame_in {
  frame what;
};
struct peer_lost {
  std::string peer;
  failure why;
};
/// Fleet to session.
struct grant_job {
  std::shared_ptr<const job> what;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string device;
  std::string warrant;
  std::uint64_t deadline_ms = 0;
};
/// The worker holds an earlier session's lease: it may ask for the content.
struct content_is_free {
  std::vector<std::string> digests;
};
struct revoke_job {
  wire::lease_ref lease;
  std::string why;
};
/// Session to fleet: a frame of its worker, decoded.
struct worker_said {
  std::string peer;
  frame_kind kind = frame_kind::beat;
  std::shared_ptr<const wire::hello_body> hello;
  std::shared_ptr<const wire::worker_beat> beat;
  std::shared_ptr<const job_result> result;
  wire::ready_body ready;
  wire::decline_body decline;
  std::shared_ptr<const void> passage; ///< of the frame
};
/// Asks for the fleet's view of the workers, for `status`.
struct workers_request {
  std::function<void(std::string json)> done;
};

} // namespace ke

KE_MESSAGE(ke::submit_job)
KE_MESSAGE(ke::evaluations_wanted)
KE_MESSAGE(ke::cancel_job)
KE_MESSAGE(ke::job_done)
KE_MESSAGE(ke::job_stage)
KE_MESSAGE(ke::job_poisoned)
KE_MESSAGE(ke::watch_capacity)
KE_MESSAGE(ke::frame_in)
KE_MESSAGE(ke::peer_lost)
KE_MESSAGE(ke::grant_job)
KE_MESSAGE(ke::content_is_free)
KE_MESSAGE(ke::revoke_job)
KE_MESSAGE(ke::worker_said)
KE_MESSAGE(ke::workers_request)
