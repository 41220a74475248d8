#pragma once

#include "backends/backend.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/process_port.hpp"

#include <string>

namespace ke {

/// How the compiler itself failed, in one line: an internal error, a signal, or no end within the limit.
/// Empty where it has judged the source, built it, or hit a limit of memory or file size. What it prints is
/// untrusted: a source that makes a compiler say the like wins a second compilation and nothing else.
std::string compiler_crash(const process_exit& exit, const job_limits& limits, const problem& what);

/// What a message calls the compiler of an argv: its program without the path.
std::string compiler_name(const std::vector<std::string>& command);

/// What to do where the backend's second compiler is not installed, in a sentence's half; empty where it is,
/// or where the backend names none.
std::string second_compiler_lacks(const backend& with);

} // namespace ke
