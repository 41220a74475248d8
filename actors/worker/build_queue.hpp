#pragma once

#include "actors/supervision/directory.hpp"
#include "actors/worker/worker_messages.hpp"

namespace ke {

struct builder_options {
  std::shared_ptr<directory> names;
  process_port* processes = nullptr;
  std::uint32_t slots = 1;
};

/// Builds assignments in its slots, while the machine's lock allows. Runs the steps that may run beside other
/// assignments (job_place::shared), an evaluation_step each. Independent steps of one assignment run together
/// if slots are free; assignments begin in order.
///
///   <- build_assignment, cancel_assignment, step_process_ended
///   -> want_lock, release_lock                to `devices`, one hold each; <- lock_granted
///   -> assignment_stage, assignment_built     to `link`
///   -> assignment_done (a crash of a step)    to `link`
///   -> assignments_lost (its own)             to `link`
///
/// Supervisor: the worker's root, permanent.
caf::behavior builder(caf::event_based_actor* self, builder_options options);

} // namespace ke
