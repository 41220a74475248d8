#pragma once

#include "runtime/process/unique_fd.hpp"

#include <string>

namespace ke {

/// Waits until no other judge of this machine works on the device: two at once take each other's turns for a
/// candidate's doing. Held until the descriptor closes, at the latest with the process. Empty: the lock's file can't be
/// had, and the judge goes on without.
unique_fd lock_device(const std::string& uuid);

} // namespace ke
