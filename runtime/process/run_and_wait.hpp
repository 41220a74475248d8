#pragma once

#include "runtime/process/process_port.hpp"

namespace ke {

/// Runs a child to its end and blocks the caller: for commands and threads that may wait, never for an actor.
process_exit run_and_wait(process_port& processes, process_spec spec);

} // namespace ke
