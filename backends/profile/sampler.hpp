#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Where a process was, as seen from outside: its own code can choose where it is, and nothing else of this.
struct samples {
  std::vector<std::uint64_t> places; ///< addresses of the main thread
  std::string maps;                  ///< /proc/PID/maps behind the last of them
  double cores = 0; ///< threads that ran or were ready to, on average: waiting for a core is no idleness
};

/// Starts `spec`, whose first output says that its program begins its work, stops it each millisecond for
/// `seconds` and reads where its main thread is, then kills it. `program`: path of the process that counts,
/// as it is inside; `launcher`: the child itself is the sandbox's. Output beyond the first byte is dropped.
/// Blocks, at most for `deadline` of the spec and two seconds. Fails with a reason in words: it has not
/// begun, ended too early, or this machine does not let us look (root without CAP_SYS_PTRACE, a kernel
/// without /proc/PID/syscall).
result<samples> sample_process(const process_spec& spec, const std::string& program, bool launcher,
                               double seconds);

/// The address in what /proc/PID/task/TID/syscall says of a thread that is stopped; 0 if there is none. Pure.
std::uint64_t place_in(std::string_view syscall_line);

} // namespace ke
