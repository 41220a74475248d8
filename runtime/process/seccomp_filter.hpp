#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

namespace ke {

/// The system calls that no kernel, compiler or driver needs and that open the kernel or other processes to a
/// candidate: they return EPERM, everything else is allowed. Calls of a foreign architecture (32-bit on
/// 64-bit) kill the process. Threads and processes may be made, namespaces not: `clone3`, whose flags a
/// filter cannot see, answers ENOSYS and libc falls back.
///
/// Returns the compiled BPF program as a fresh, read-only, close-on-exec descriptor at offset 0, ready for
/// bwrap's --seccomp. Any thread. Fails with `missing` if libseccomp cannot build it for this architecture.
result<unique_fd> seccomp_filter();

} // namespace ke
