#pragma once

#include "actors/caf.hpp"
#include "actors/restart.hpp"
#include "runtime/process/process_port.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// What a worker with a lifeline says, a line each.
namespace steps_to_attach {
inline constexpr std::string_view sandbox = "sandbox", peaks = "peaks", devices = "devices", dial = "dial",
                                  attached = "attached";
}

struct local_worker_options {
  process_port* processes = nullptr;
  std::vector<std::string> argv; ///< the worker's command line
  restart_policy restarts{.intensity = 5, .period = std::chrono::minutes{1}};
  std::chrono::seconds attach_patience{180}; ///< until a child that has not attached is taken for stuck
  std::function<void(failure)> on_missing; ///< it ended with code 3: the environment lacks what its text says
};

/// Keeps this machine's worker alive as a child process that attaches over ipc:// like any other. The child's
/// end is no failure of ours: it is started again after a growing delay, and after too many ends in a short
/// time only once in a while. The child says on its standard output how far it is (`steps_to_attach`); one
/// that does not get to the last step in time is killed and counts as ended.
///
/// Supervisor: root, permanent. The child holds its end of a pipe: it leaves when we are gone, however we
/// went.
caf::behavior local_worker(caf::event_based_actor* self, local_worker_options options);

} // namespace ke
