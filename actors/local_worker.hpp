#pragma once

#include "actors/caf.hpp"
#include "actors/restart.hpp"
#include "runtime/process/process_port.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ke {

struct local_worker_options {
  process_port* processes = nullptr;
  std::vector<std::string> argv; ///< the worker's command line
  restart_policy restarts{.intensity = 5, .period = std::chrono::minutes{1}};
  std::function<void(failure)> on_missing; ///< it ended with code 3: the environment lacks what its text says
};

/// Keeps this machine's worker alive as a child process that attaches over ipc:// like any other. The child's
/// end is no failure of ours: it is started again after a growing delay, and after too many ends in a short
/// time only once in a while.
///
/// Supervisor: root, permanent. The child holds its end of a pipe: it leaves when we are gone, however we
/// went.
caf::behavior local_worker(caf::event_based_actor* self, local_worker_options options);

} // namespace ke
