#pragma once

#include <cstdint>
#include <unistd.h>

namespace ke {

/// Bytes of this host's memory that nobody uses; 0: it does not say. Any thread.
inline std::uint64_t free_host_memory() {
  auto pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

} // namespace ke
