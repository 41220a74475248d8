#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ke {

/// How many filters of system calls a thread has, by its status file's text; nothing where the kernel does
/// not say (before Linux 5.9).
std::optional<int> filters_in(const char* status);

/// Whether every thread of these stopped processes has `more` filters than what they were started with: than
/// the first process of their namespace of processes, or, where there is none, than this one. A thread that
/// has ended has none. True where the kernel does not say. What a process says of its filters is worth
/// nothing once it runs a candidate's code, and a constructor that never returns keeps the last one from
/// being installed.
bool all_confined(const std::vector<pid_t>& members, int more);

/// What loading an object has left in these stopped processes that no kernel may have: a thread without the
/// driver's filters, or code that can still be changed (code_pages.hpp). Empty: nothing.
std::string left_by_loading(const std::vector<pid_t>& members);

} // namespace ke
