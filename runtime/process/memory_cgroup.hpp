#pragma once

#include "runtime/process/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// A control group that bounds all memory of the processes in it together, the kernel's for them included,
/// where this machine lets us make one: version 1 as root or where our group was given to us, version 2 where
/// our group or the one above was (a delegated session). Elsewhere limits on address space, descriptors and
/// inodes must do. The group goes with the object, once its processes have ended. Any thread.
class memory_cgroup {
public:
  /// Nothing where there is none to be had.
  static std::optional<memory_cgroup> make(std::uint64_t bytes);
  memory_cgroup(memory_cgroup&&) noexcept;
  memory_cgroup& operator=(memory_cgroup&&) = delete;
  ~memory_cgroup();

  /// For process_spec::cgroup: who writes "0" there becomes a member, with all of its later children.
  int entrance() const { return entrance_.get(); }
  /// Makes a living process a member, and its later children; what it has taken before does not count.
  bool adopt(pid_t process) const;
  /// Whether the kernel ended a member because the limit was reached.
  bool ran_out() const;

private:
  memory_cgroup(std::string folder, unique_fd entrance);
  std::string folder_;
  unique_fd entrance_;
};

} // namespace ke
