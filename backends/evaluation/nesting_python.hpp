#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/process/sandbox.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ke {

/// The folders that a Python needs besides /usr: its virtual environment and its own prefix.
std::vector<std::filesystem::path> python_homes(const std::filesystem::path& program);

/// How a Python process of ours holds what it forks (torch-cpu/box.py): "open" (limits only), "boxed", or "users":
/// boxed, each as a user of its own.
std::string fork_mode(sandbox_level level);

/// What box.py needs to know of a fork, as KE_FORKS has it: mode, user, processes, descriptors, bytes of memory and of
/// files, files.
std::string fork_limits(const sandbox_spec& box, std::uint64_t descriptors, std::uint64_t memory_bytes,
                        std::uint64_t inodes);

/// A process of python_program() that runs only our own code, and forks into sandboxes of their own what is to run
/// somebody else's. It may make them, sees what its Python needs and `shows`, and has the filters on system calls for
/// its forks at descriptors 4 and 5. `box`: its level, and what it may write. Failures as of `sandboxed`.
result<process_spec> nesting_python(process_spec inner, sandbox_spec box,
                                    const std::vector<std::filesystem::path>& shows);

} // namespace ke
