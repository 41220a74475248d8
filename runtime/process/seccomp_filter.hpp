#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <cstdint>

namespace ke {

/// The system calls that no kernel, compiler or driver needs and that open the kernel or other processes to a
/// candidate (among them raw and netlink sockets, and watches and leases on files, which the host has, too):
/// they return EPERM, everything else is allowed. Calls of a foreign architecture (32-bit on 64-bit) kill the
/// process. Threads and processes may be made, namespaces not: `clone3`, whose flags a filter cannot see,
/// answers ENOSYS and libc falls back.
///
/// Returns the compiled BPF program as a fresh, read-only, close-on-exec descriptor at offset 0, ready for
/// bwrap's --seccomp. Any thread. Fails with `missing` if libseccomp cannot build it for this architecture.
result<unique_fd> seccomp_filter();

/// When a filter of kernel_filter holds from.
enum class kernel_stage : std::uint8_t { loading, calling, interpreting };

/// What ke-driver puts over itself and its threads, on top of the sandbox's filter, with PR_SET_NO_NEW_PRIVS
/// and seccomp(2): what no kernel may do although a compiler must. Killed by SIGSYS, so that the judge can
/// tell: `loading` (before any code of a candidate runs): another process, another program, a trap on the
/// clock, memory of the kernel that no limit counts (sockets, memory files, System V segments, queues,
/// watches), a look into a pipe that does not empty it (tee, splice) or another mode of a file; `calling`
/// (once it is loaded): executable memory, a filter of its own. Refused with an error from `loading` on:
/// other processors than those given, locks of byte ranges, pipes beyond 64 KiB. Threads stay possible, and
/// what threads wait by. `interpreting` is for candidates in a language that compiles while it runs: it
/// refuses kernel memory with EPERM and kills nobody.
///
/// The descriptor is as seccomp_filter's; its bytes are an array of sock_filter.
result<unique_fd> kernel_filter(kernel_stage stage);

} // namespace ke
