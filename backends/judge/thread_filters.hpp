#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ke {

/// The number of system-call filters of a thread, from its status file's text; nothing if the kernel does not
/// say (before Linux 5.9).
std::optional<int> filters_in(const char* status);

/// Whether every thread of these stopped processes has `more` filters than at its start: than the first
/// process of its pid namespace, or without one than this process. An ended thread has none. True if the
/// kernel does not say. Once a process runs a candidate's code, its own word on filters is worth nothing, and
/// a constructor that never returns keeps the last filter from being installed.
bool all_confined(const std::vector<pid_t>& members, int more);

/// What loading an object left in these stopped processes that no kernel may have: a thread without the
/// driver's filters, or changeable code (code_pages.hpp). Empty: nothing.
std::string left_by_loading(const std::vector<pid_t>& members);

} // namespace ke
