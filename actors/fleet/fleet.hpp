#pragma once

#include "actors/messages/fleet_messages.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/fleet/lease.hpp"
#include "runtime/store/store_port.hpp"

namespace ke {

struct fleet_options {
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  std::string store_id;
  std::string key; ///< of the store's warrants
  std::uint64_t epoch = 0;
  std::chrono::nanoseconds term = std::chrono::seconds{10}; ///< of a lease without a beat
};

/// Places jobs on workers and leases them. Rules in runtime/fleet/{placement,lease}.hpp; this is their clock
/// and mailbox.
///
///   <- frame_in, peer_lost                 from the gateway; a hello begins a worker_session
///   <- worker_said                         from sessions: ready, decline, beat, result, drain
///   <- submit_job, cancel_job
///   <- evaluations_wanted                  from campaigns: until then, workers' results of an earlier life
///                                          are kept
///   -> job_done, job_stage, job_poisoned   to the evaluator
///   -> capacity                            on each change, to those that sent watch_capacity
///
/// Supervisor: root, permanent. After its restart sessions begin anew with the workers' hello, which lists
/// what they hold.
caf::behavior fleet(caf::event_based_actor* self, fleet_options options);

/// From the gateway, so that sessions can send: the present transport.
struct transport_is {
  std::shared_ptr<transport_port> transport;
};

/// To the gateway: send `transport_is` to this address.
struct want_transport {
  address<transport_is> who;
};

} // namespace ke

KE_MESSAGE(ke::want_transport)
KE_MESSAGE(ke::transport_is)
