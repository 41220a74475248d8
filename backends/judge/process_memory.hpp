#pragma once

#include <cstdint>
#include <sys/types.h>

namespace ke {

/// Bytes of address space and of private memory in use, 0 for a process that is gone.
struct memory_use {
  std::uint64_t space = 0, own = 0;
};
memory_use memory_of(pid_t pid);

/// Private memory of a process in bytes, what it shares with relatives by the fraction; 0 for one that is
/// gone.
std::uint64_t proportional_memory_of(pid_t pid);

} // namespace ke
