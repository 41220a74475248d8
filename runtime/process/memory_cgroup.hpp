#pragma once

#include "runtime/process/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// A control group that bounds all memory of its processes together, the kernel's for them included.
/// Available as root or in a delegated group with version 1, and in a delegated group or below one with
/// version 2; elsewhere limits on address space, descriptors and inodes must do. Removed with the object,
/// once its processes have ended. Any thread.
class memory_cgroup {
public:
  /// Nothing if this machine does not let us make one.
  static std::optional<memory_cgroup> make(std::uint64_t bytes);
  memory_cgroup(memory_cgroup&&) noexcept;
  memory_cgroup& operator=(memory_cgroup&&) = delete;
  ~memory_cgroup();

  /// For process_spec::cgroup: a process that writes "0" there becomes a member, with all its later children.
  int entrance() const { return entrance_.get(); }
  /// Makes a living process and its later children members; memory it has taken before does not count.
  bool adopt(pid_t process) const;
  /// Whether the kernel ended a member at the limit.
  bool ran_out() const;

private:
  memory_cgroup(std::string folder, unique_fd entrance);
  std::string folder_;
  unique_fd entrance_;
};

} // namespace ke
