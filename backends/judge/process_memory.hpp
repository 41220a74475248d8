#pragma once

#include <cstdint>
#include <sys/types.h>
#include <vector>

namespace ke {

/// Bytes of address space and of private memory in use; 0 for a process that is gone.
struct memory_use {
  std::uint64_t space = 0, own = 0;
};
memory_use memory_of(pid_t pid);

/// Private memory of a process in bytes, with its fraction of shared pages; 0 for one that is gone.
std::uint64_t proportional_memory_of(pid_t pid);

/// Bytes of a process from `address` on, through its /proc/PID/mem. False if there are none.
bool read_all(int mem, std::uint64_t address, char* to, std::size_t bytes);

/// Writes them.
bool write_all(int mem, std::uint64_t address, const char* from, std::size_t bytes);

/// Whether the page at an address is the process's own: present or swapped out, private, mapped by it alone.
bool is_own_page(int pagemap, std::uint64_t address);

/// Pages wholly within `bytes` from `address` on that the process has not written for itself: never touched,
/// the page of zeros, shared memory, or mapped from a file. `pagemap`: its /proc/PID/pagemap; the process
/// must be stopped. Unreadable entries count as written.
std::uint64_t unwritten_pages(int pagemap, std::uint64_t address, std::uint64_t bytes);

/// Neighbouring pages, by number; `end` is one past the last.
struct page_run {
  std::uint64_t first = 0, end = 0;
};

/// The pages of a process's private memory that are its own (is_own_page), in order, without those of
/// mappings beyond 32 GiB. Reads in proportion to the address space. Empty: we can't look into it. The
/// process must be stopped.
std::vector<page_run> own_pages_of(pid_t pid, int pagemap);

/// What copying so many pages into memory that is fresh costs now, in ns: tried on as many, up to 32 MB. Who
/// makes its results in fresh memory pays for its pages on the same machine at the same time.
double copied_pages_ns(std::uint64_t pages);

} // namespace ke
