#pragma once

#include "backends/evaluation/backend.hpp"
#include "runtime/process/process_port.hpp"

#include <string>
#include <vector>

namespace ke {

struct job_limits;
struct problem;

/// How the compiler itself failed, in one line: an internal error, a signal, or no end within the limit.
/// Empty if it judged the source, built it, or hit a limit of memory or file size. Its text is untrusted: a
/// source that forges such words wins a second compilation and nothing else.
std::string compiler_crash(const process_exit& exit, const job_limits& limits, const problem& what);

/// The compiler of an argv, for messages: the program without the path.
std::string compiler_name(const std::vector<std::string>& command);

/// What to do if the backend's second compiler is not installed, as half a sentence; empty: it is, or the
/// backend names none.
std::string second_compiler_lacks(const backend& with);

} // namespace ke
