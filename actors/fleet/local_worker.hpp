#pragma once

#include "actors/supervision/caf.hpp"
#include "actors/supervision/restart.hpp"
#include "runtime/process/process_port.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Words of a worker with a lifeline, a line each.
namespace steps_to_attach {
inline constexpr std::string_view sandbox = "sandbox", peaks = "peaks", devices = "devices", dial = "dial",
                                  attached = "attached";
}

struct local_worker_options {
  process_port* processes = nullptr;
  std::vector<std::string> argv; ///< the worker's command line
  restart_policy restarts{.intensity = 5, .period = std::chrono::minutes{1}};
  std::chrono::seconds attach_patience{180}; ///< a child not attached by then is stuck
  std::function<void(failure)> on_missing; ///< it ended with code 3: its text says what the environment lacks
};

/// Keeps this machine's worker alive: a child process that attaches over ipc:// like any other. Its end is no
/// failure of ours: it is restarted after a growing delay; after too many ends in a short time, only now and
/// then. It writes its progress to standard output (`steps_to_attach`). A child that is late for the last
/// step is killed and counts as ended.
///
/// Supervisor: root, permanent. The child holds one end of a pipe: however we end, it leaves.
caf::behavior local_worker(caf::event_based_actor* self, local_worker_options options);

} // namespace ke
