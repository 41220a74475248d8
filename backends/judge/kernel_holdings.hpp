#pragma once

#include "runtime/process/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// A candidate's resources in the kernel that no address-space limit counts: open descriptors (a pipe has 64
/// KiB) and files in its memory file systems (an empty one has 1 KiB). RLIMIT_NOFILE bounds descriptors;
/// nothing bounds inodes in a bubblewrap sandbox. Tells who has reached a limit. One thread.
class kernel_holdings {
public:
  /// Opens the places that the sandbox of `inside` may write to. Call it before any code of the candidate:
  /// afterwards the paths may lead elsewhere. Finds nothing outside a sandbox; once found, further calls do
  /// nothing.
  void open(pid_t inside);
  /// Closes them: while we hold one, its files stay.
  void close() { places_.clear(); }

  /// The limit that these processes have reached, in words; empty: none. 0: no limit. Some 10 us a process.
  std::string over(const std::vector<pid_t>& members, std::uint32_t descriptors, std::uint64_t inodes) const;

private:
  std::vector<unique_fd> places_;
};

} // namespace ke
