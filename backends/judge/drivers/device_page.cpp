#include "backends/judge/drivers/device_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace ke {
namespace {

constexpr int turns_per_look = 64; ///< of spinning, between two looks at the clock

} // namespace

result<device_page> device_page::make() {
  auto fail = [](const char* what) {
    return failure{failure_kind::device, std::string{"cannot "} + what + ": " + std::strerror(errno), true};
  };
  device_page made;
  made.file_.reset(memfd_create("ke-words", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.file_ || ftruncate(made.file_.get(), wire::words_bytes) != 0 ||
      fcntl(made.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail("make a page for a device's driver");
  auto* page = mmap(nullptr, wire::words_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    made.file_.get(), 0);
  if (page == MAP_FAILED)
    return fail("map the page of a device's driver");
  made.words_ = new (page) wire::device_words;
  made.words_->asked.store(0);
  made.words_->answered.store(0);
  return made;
}

device_page::device_page(device_page&& other) noexcept
    : file_{std::move(other.file_)}, words_{std::exchange(other.words_, nullptr)} {}

device_page::~device_page() {
  if (words_)
    munmap(words_, wire::words_bytes);
}

std::uint32_t device_page::ask(wire::device_request what) {
  auto number = words_->asked.load(std::memory_order_relaxed) + 1;
  words_->request = what;
  words_->asked.store(number, std::memory_order_release);
  return number;
}

bool device_page::answered(std::uint32_t number, double most_ns) const {
  auto begun = std::chrono::steady_clock::now();
  for (;;) {
    for (int i = 0; i < turns_per_look; ++i) {
      if (words_->answered.load(std::memory_order_acquire) == number)
        return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    if (std::chrono::duration<double, std::nano>{std::chrono::steady_clock::now() - begun}.count() > most_ns)
      return false;
  }
}

} // namespace ke
