// ke-profiler: reads a packed profile_task on stdin, writes a packed profile_result to stdout. Trusted; what
// it starts on the candidate is sandboxed, and ends with it.
#include "backends/profile/profiler.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/process/process_service.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  std::string bytes{std::istreambuf_iterator<char>{std::cin}, {}};
  auto task = ke::unpack<ke::profile_task>(bytes, {std::size_t{1} << 30, std::size_t{1} << 24, 32});
  if (!task) {
    std::cerr << "ke-profiler: the task on stdin is not readable: " << task.error().text << '\n';
    return 2;
  }
  ke::profile_result found;
  try {
    ke::process_service processes;
    found = ke::profile(*task, processes);
  } catch (const std::exception& e) {
    std::cerr << "ke-profiler: " << e.what() << '\n';
    return 4;
  }
  auto packed = ke::pack(found);
  if (std::fwrite(packed.data(), 1, packed.size(), stdout) != packed.size() || std::fflush(stdout) != 0)
    return 3;
  return 0;
}
