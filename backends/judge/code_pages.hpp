#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ke {

/// Memory in which code could still be changed although the filter of the calling stage lets nobody make new
/// code: pages that are writable and executable, and executable pages of a file that the process may write
/// to. Where such a page lies in one of these processes, in words; empty: none does. They stand still.
std::string changeable_code(const std::vector<pid_t>& members);

} // namespace ke
