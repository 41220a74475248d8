#include "backends/judge/process_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace ke {
namespace {

constexpr std::uint64_t highest = std::uint64_t{1} << 62; ///< address that a file's offset can hold

/// Of an entry of /proc/PID/pagemap.
bool is_own(std::uint64_t entry) {
  constexpr std::uint64_t present = std::uint64_t{1} << 63, swapped = std::uint64_t{1} << 62,
                          shared = std::uint64_t{1} << 61, exclusive = std::uint64_t{1} << 56;
  return (entry & shared) == 0 &&
         ((entry & swapped) != 0 || ((entry & present) != 0 && (entry & exclusive) != 0));
}

/// A larger mapping is a sanitizer's: a process's own are bounded by the limit of its address space.
constexpr std::uint64_t most_mapped = std::uint64_t{32} << 30;

/// Entries of /proc/PID/pagemap for the pages from `first` on and before `last`, as far as they can be read.
template <class F>
void each_entry(int pagemap, std::uint64_t first, std::uint64_t last, F use) {
  std::array<std::uint64_t, 512> entries;
  while (first < last) {
    auto n = std::min<std::uint64_t>(entries.size(), last - first);
    auto got = pread(pagemap, entries.data(), n * 8, static_cast<off_t>(first * 8));
    if (got < 8)
      return;
    n = static_cast<std::uint64_t>(got) / 8;
    for (std::uint64_t i = 0; i < n; ++i)
      use(first + i, entries[i]);
    first += n;
  }
}

} // namespace

memory_use memory_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/statm"};
  std::uint64_t space = 0, resident = 0, shared = 0;
  in >> space >> resident >> shared;
  auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {space * page, (resident - std::min(resident, shared)) * page};
}

std::uint64_t proportional_memory_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/smaps_rollup"};
  for (std::string word; in >> word;)
    if (std::uint64_t kilobytes = 0; word == "Pss_Anon:" && in >> kilobytes)
      return kilobytes << 10;
  return 0;
}

bool read_all(int mem, std::uint64_t address, char* to, std::size_t bytes) {
  for (std::size_t got = 0; got < bytes;) {
    auto n =
        address + got > highest ? -1 : pread(mem, to + got, bytes - got, static_cast<off_t>(address + got));
    if (n <= 0)
      return false;
    got += static_cast<std::size_t>(n);
  }
  return true;
}

bool write_all(int mem, std::uint64_t address, const char* from, std::size_t bytes) {
  return address <= highest &&
         pwrite(mem, from, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
}

bool is_own_page(int pagemap, std::uint64_t address) {
  std::uint64_t entry = 0;
  auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return address <= highest && pread(pagemap, &entry, 8, static_cast<off_t>(address / page * 8)) == 8 &&
         is_own(entry);
}

std::uint64_t unwritten_pages(int pagemap, std::uint64_t address, std::uint64_t bytes) {
  auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (address > highest || bytes > (std::uint64_t{1} << 48))
    return 0;
  std::uint64_t found = 0;
  each_entry(pagemap, (address + page - 1) / page, (address + bytes) / page,
             [&](std::uint64_t, std::uint64_t entry) { found += is_own(entry) ? 0 : 1; });
  return found;
}

std::vector<page_run> own_pages_of(pid_t pid, int pagemap) {
  auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<page_run> runs;
  std::ifstream maps{"/proc/" + std::to_string(pid) + "/maps"};
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, rights) != 3 ||
        rights[3] != 'p' || end - begin > most_mapped)
      continue; // but no look at other rights: what is read-only now can be made writable in the call
    each_entry(pagemap, begin / size, end / size, [&](std::uint64_t page, std::uint64_t entry) {
      if (!is_own(entry))
        return;
      if (runs.empty() || runs.back().end != page)
        runs.push_back({page, page});
      runs.back().end = page + 1;
    });
  }
  return runs;
}

double copied_pages_ns(std::uint64_t pages) {
  constexpr std::uint64_t least = 64, most = 8192;
  auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto tried = std::clamp(pages, least, most);
  std::string from(page, 'x');
  auto start = std::chrono::steady_clock::now();
  void* fresh = mmap(nullptr, tried * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED)
    return 0;
  for (std::uint64_t i = 0; i < tried; ++i)
    std::memcpy(static_cast<char*>(fresh) + i * page, from.data(), page);
  double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  munmap(fresh, tried * page);
  return ns * static_cast<double>(pages) / static_cast<double>(tried);
}

} // namespace ke
