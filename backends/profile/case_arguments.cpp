#include "backends/profile/case_arguments.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace ke {

std::vector<case_argument> read_case(const char* path) {
  constexpr std::uint64_t head = 16, row = 16, most = 256;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat s{};
  if (fd < 0 || fstat(fd, &s) != 0 || s.st_size < static_cast<off_t>(head))
    return {};
  auto size = static_cast<std::uint64_t>(s.st_size);
  const auto* file = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0));
  close(fd);
  if (file == MAP_FAILED || std::memcmp(file, "KECASE1\n", 8) != 0)
    return {};
  std::uint64_t n = 0;
  std::memcpy(&n, file + 8, 8);
  if (n > most || size < head + row * n)
    return {};
  std::vector<case_argument> all(n);
  std::uint64_t at = head + row * n;
  for (std::uint64_t i = 0; i < n; ++i) {
    auto& a = all[i];
    std::memcpy(&a.role, file + head + row * i, 8);
    std::memcpy(&a.bytes, file + head + row * i + 8, 8);
    if (a.role == 1)
      continue;
    if (a.bytes > size - at)
      return {};
    a.from = file + at;
    at += a.bytes;
  }
  return all;
}

} // namespace ke
