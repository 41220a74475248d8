#pragma once

#include "actors/directory.hpp"
#include "actors/worker/worker_messages.hpp"

namespace ke {

struct builder_options {
  std::shared_ptr<directory> names;
  process_port* processes = nullptr;
  std::uint32_t slots = 1;
};

/// Builds works in its slots, one compile_job each, while the machine's lock allows.
///
///   <- build_work, cancel_work
///   -> want_lock, release_lock   to `devices`; <- lock_granted
///   -> work_stage, work_built, work_done (a crash of the job)   to `link`
///
/// Supervisor: the worker's root, permanent.
caf::behavior builder(caf::event_based_actor* self, builder_options options);

/// One work's compilers, in their order (candidate, then reference and truth where no cache has them), in the
/// sandbox.
///
///   -> work_built   to the builder, then it quits
///   <- exit         kills the compiler
///
/// Supervisor: builder; temporary.
caf::behavior compile_job(caf::event_based_actor* self, caf::actor builder, process_port* processes,
                          work_ptr item);

} // namespace ke
