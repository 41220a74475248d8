#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <cstdint>

namespace ke {

/// Refuses with EPERM the system calls by which a candidate could reach the kernel or other processes and
/// which no kernel, compiler or driver needs. Refuses raw and netlink sockets, too, and watches and leases on
/// files: these reach the host. Allows everything else. Calls of a foreign architecture (32-bit on 64-bit)
/// kill the process. Threads and processes may be made, namespaces not: a filter cannot see the flags of
/// `clone3`, so that answers ENOSYS and libc falls back.
///
/// Returns the compiled BPF program as a fresh, read-only, close-on-exec descriptor at offset 0, ready for
/// bwrap's --seccomp. Any thread. `missing` if libseccomp cannot build it for this architecture.
result<unique_fd> seccomp_filter();

/// From when a filter of kernel_filter holds.
enum class kernel_stage : std::uint8_t { loading, calling, interpreting };

/// ke-driver puts this over itself and its threads, on top of the sandbox's filter, with PR_SET_NO_NEW_PRIVS
/// and seccomp(2): what no kernel may do although a compiler must. Threads, and what they wait by, stay
/// possible.
///   loading        before any code of a candidate. Killed by SIGSYS, so that the judge can tell: another
///                  process, another program, a trap on the clock, kernel memory that no limit counts
///                  (sockets, memory files, System V segments, queues, watches), a look into a pipe that does
///                  not empty it (tee, splice), another mode of a file. Refused with an error: other
///                  processors than those given, locks of byte ranges, pipes beyond 64 KiB
///   calling        once it is loaded. Killed, too: executable memory, a filter of its own
///   interpreting   for languages that compile while they run. Refuses kernel memory with EPERM, kills nobody
///
/// The descriptor is as seccomp_filter's; its bytes are an array of sock_filter.
result<unique_fd> kernel_filter(kernel_stage stage);

} // namespace ke
