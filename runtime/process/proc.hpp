#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Reads of /proc. Every answer is a snapshot: a pid that is not our own unreaped child may be somebody else's
// by the time it is used.

namespace ke::proc {

/// The children of a process, over all of its threads. Empty if it is gone.
std::vector<pid_t> children_of(pid_t pid);

/// Its threads. Empty if it is gone.
std::vector<pid_t> threads_of(pid_t pid);

/// The state letter in a stat line ("12 (a b) T 1 ..."), 0 if there is none.
char state_in(std::string_view stat);

/// The parent in a stat line, -1 if there is none.
pid_t parent_in(std::string_view stat);

/// The whole of a small file, or nothing.
std::optional<std::string> read(const std::string& path);

} // namespace ke::proc
