#pragma once

#include "actors/supervision/caf.hpp"
#include "actors/supervision/restart.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ke {

/// When a child that stopped is started again.
enum class restart_mode {
  permanent, ///< always
  transient, ///< only if it stopped abnormally
  temporary, ///< never: its owner asks for another one
};

/// Who else is restarted with a failed child.
enum class restart_strategy {
  one_for_one,  ///< nobody
  rest_for_one, ///< the children started after it, which may depend on it
};

struct child_spec {
  std::string name;
  restart_mode mode = restart_mode::permanent;
  std::function<caf::actor(caf::event_based_actor*)> start; ///< spawns the child from its supervisor
  std::chrono::nanoseconds grace = std::chrono::seconds{5}; ///< of an ordered shutdown, before it is killed
};

struct supervisor_options {
  std::string name;
  restart_strategy strategy = restart_strategy::one_for_one;
  restart_policy restarts;
  std::uint64_t seed = 1; ///< of the jitter
  /// Told of every child's abnormal end: (child, reason, delay until its restart; negative: the supervisor
  /// gives up).
  std::function<void(const std::string& child, const caf::error& why, std::chrono::nanoseconds delay)>
      on_failure;
};

/// An on_failure: a line of the log. Any thread.
void log_child_failure(const std::string& child, const caf::error& why, std::chrono::nanoseconds delay);

/// Adds a child after the present ones and starts it. A child with a taken name is ignored. But if the
/// present one is being stopped (stop_child), the new one starts afterwards.
struct start_child {
  child_spec spec;
};
struct stop_child { ///< ends one child in order and forgets it
  std::string name;
};

/// Keeps its children running.
///
///   <- start_child, stop_child
///   <- down      a child ended: start it again after a delay; rest_for_one: also those after it, which are
///                first stopped in reverse order. Failed too often: stop everything and escalate by quitting
///                with an error
///   <- exit      stop the children in reverse order of start, each with its grace, then quit with that
///                reason
///
/// Expects a supervisor that treats its abnormal end as a failure; restart mode there: permanent.
caf::behavior supervisor(caf::event_based_actor* self, std::vector<child_spec> specs,
                         supervisor_options options);

} // namespace ke

KE_MESSAGE(ke::start_child)
KE_MESSAGE(ke::stop_child)
