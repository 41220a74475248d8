#pragma once

#include "actors/control.hpp"

namespace ke {

class coordinator;

/// What the owner of a store does for a client (control socket, or `--connect`); the commands are those of
/// runtime/net/client_command.hpp. Does not block: the reply comes when it is done. An error is
/// {"error": TEXT} with an exit code.
void carry_out(coordinator& owner, control_request request);

} // namespace ke
