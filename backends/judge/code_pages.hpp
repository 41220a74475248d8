#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ke {

/// A page of these processes with code that can still be changed, in words; empty: none. The calling stage's
/// filter forbids new code, but not changes of pages that are writable and executable, or of executable pages
/// from a writable file. The processes must be stopped.
std::string changeable_code(const std::vector<pid_t>& members);

} // namespace ke
