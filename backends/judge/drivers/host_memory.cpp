#include "backends/judge/drivers/host_memory.hpp"

#include "backends/judge/process_words.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <string>
#include <utility>

namespace ke {

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
