#pragma once

#include "runtime/process/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What a candidate holds of the kernel that no limit on its address space counts: open descriptors (a pipe
/// has 64 KiB) and files of its memory file systems (an empty one has 1 KiB). Descriptors end at
/// RLIMIT_NOFILE, inodes of a sandbox that bubblewrap made end nowhere; who has reached a limit is told here.
/// One thread.
class kernel_holdings {
public:
  /// Takes hold of the places that the sandbox of `inside` may write to. Before any code of the candidate
  /// runs: afterwards the paths could be something else. Nothing to find outside of a sandbox; once they are
  /// found, further calls do nothing.
  void open(pid_t inside);
  /// Lets go of them: as long as we hold one, its files stay.
  void close() { places_.clear(); }

  /// Which limit these processes have reached, in words; empty: none. 0: no limit. Some 10 us a process.
  std::string over(const std::vector<pid_t>& members, std::uint32_t descriptors, std::uint64_t inodes) const;

private:
  std::vector<unique_fd> places_;
};

} // namespace ke
