#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Where a process was, seen from outside: its code can choose where it is, and nothing else of this.
struct samples {
  std::vector<std::uint64_t> places; ///< addresses of the main thread
  std::string maps;                  ///< /proc/PID/maps after the last of them
  double cores = 0; ///< mean number of threads running or ready: waiting for a core is no idleness
};

/// Starts `spec`, stops it each millisecond for `seconds` and reads where its main thread is, then kills it.
/// Sampling begins at the first byte of output: by it the program announces its work. Later output is
/// dropped. `program`: path of the process to sample; `launcher`: the child itself is only the sandbox.
/// Blocks, at most for the spec's `deadline` and two seconds. Fails, with a reason in words: it did not
/// begin, ended too early, or this machine does not let us look (root without CAP_SYS_PTRACE, a kernel
/// without /proc/PID/syscall).
result<samples> sample_process(const process_spec& spec, const std::string& program, bool launcher,
                               double seconds);

/// The address in /proc/PID/task/TID/syscall of a stopped thread; 0: none. Pure.
std::uint64_t place_in(std::string_view syscall_line);

} // namespace ke
