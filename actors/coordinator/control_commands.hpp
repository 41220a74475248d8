#pragma once

#include "actors/coordinator/control.hpp"

namespace ke {

class coordinator;

/// Carries out a client's command (runtime/net/client_command.hpp) as the owner of a store, for the control
/// socket and `--connect`. Does not block: replies when done. An error is {"error": TEXT} with an exit code.
void carry_out(coordinator& owner, control_request request);

} // namespace ke
