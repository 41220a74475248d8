#include "backends/judge/drivers/host_memory.hpp"

#include "backends/judge/process_words.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ke {
namespace {

constexpr std::size_t most_scattered = 64u << 20; ///< bytes of an arena: beyond, no cache is spared anyway

/// Gives the memory its pages in random order. A kernel whose inputs just fit a cache is up to a fifth slower where their
/// pages get into one another's way there, and a process is given the pages that the last one gave back, in the same
/// order: a run's launches would agree with each other, and the next run with none of them (docs/decisions/0067).
void scatter_pages(std::byte* memory, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<std::uint32_t> order(std::min(bytes, most_scattered) / page);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937_64{std::random_device{}()});
  for (auto i : order)
    *static_cast<volatile std::byte*>(memory + i * page) = std::byte{};
}

} // namespace

result<host_memory> host_memory::make(std::size_t bytes) {
  host_memory made;
  made.file_.reset(memfd_create("ke-slots", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.file_ || ftruncate(made.file_.get(), static_cast<off_t>(bytes)) != 0)
    return machine_failure("make shared memory of " + std::to_string(bytes >> 20) + " MiB");
  // Neither side can change the size now, so no access of ours can fault.
  if (fcntl(made.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return machine_failure("seal the shared memory");
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.file_.get(), 0);
  if (mapped == MAP_FAILED)
    return machine_failure("map the shared memory");
  made.mapped_ = static_cast<std::byte*>(mapped);
  made.size_ = bytes;
  scatter_pages(made.mapped_, bytes);
  return made;
}

host_memory::host_memory(host_memory&& other) noexcept
    : file_{std::move(other.file_)}, mapped_{std::exchange(other.mapped_, nullptr)}, size_{other.size_} {}

host_memory::~host_memory() {
  if (mapped_)
    munmap(mapped_, size_);
}

void evict(const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t line = 64;
  for (std::size_t i = 0; i < bytes; i += line)
    _mm_clflush(from + i);
  _mm_mfence();
#elif defined(__aarch64__)
  constexpr std::size_t line = 64;
  for (std::size_t i = 0; i < bytes; i += line)
    asm volatile("dc civac, %0" ::"r"(from + i) : "memory");
  asm volatile("dsb ish" ::: "memory");
#else
  (void)from;
  (void)bytes;
#endif
}

} // namespace ke
