#pragma once

#include "actors/directory.hpp"
#include "actors/worker/worker_messages.hpp"

namespace ke {

struct builder_options {
  std::shared_ptr<directory> names;
  process_port* processes = nullptr;
  std::uint32_t slots = 1;
};

/// Builds works in its slots, while the machine's lock allows: the jobs that run beside other works
/// (job_place::shared), an evaluation_step each. Those of one work that don't need one another run together
/// where slots are free; works begin in their order.
///
///   <- build_work, cancel_work, job_process_ended
///   -> want_lock, release_lock   to `devices`, one hold a work; <- lock_granted
///   -> work_stage, work_built, work_done (a crash of a step), works_lost (its own)   to `link`
///
/// Supervisor: the worker's root, permanent.
caf::behavior builder(caf::event_based_actor* self, builder_options options);

} // namespace ke
