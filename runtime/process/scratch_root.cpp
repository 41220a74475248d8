#include "runtime/process/scratch_root.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr auto prefix = "ke-eval-";

unique_fd locked(const fs::path& file, int flags) {
  unique_fd fd{::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600)};
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
    fd.reset();
  return fd;
}

void sweep(const fs::path& parent) {
  std::error_code error;
  for (auto at = fs::directory_iterator{parent, error}; !error && at != fs::directory_iterator{};
       at.increment(error)) {
    const auto& path = at->path();
    struct stat s{};
    if (path.filename().string().starts_with(prefix) && ::lstat(path.c_str(), &s) == 0 &&
        S_ISDIR(s.st_mode) && s.st_uid == ::geteuid())
      if (auto lock = locked(path / "alive", 0)) {
        std::error_code ignored; // what can't be removed now is the next worker's
        fs::remove_all(path, ignored);
      }
  }
}

} // namespace

result<scratch_root> scratch_root::make(const fs::path& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  sweep(parent);
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto pattern = (parent / (std::string{prefix} + "XXXXXX")).string();
    if (!::mkdtemp(pattern.data()))
      return failure{failure_kind::missing, "a worker needs a private folder in " + parent.string() +
                                                " and can't make one: " + std::strerror(errno) +
                                                "; free the folder, or set TMPDIR to another"};
    ::chmod(pattern.c_str(), 0755); // the sandbox's user reads what lies in it
    auto lock = locked(fs::path{pattern} / "alive", O_CREAT);
    struct stat s{};
    if (lock && ::fstat(lock.get(), &s) == 0 && s.st_nlink > 0) // else another worker's sweep came between
      return scratch_root{pattern, std::move(lock)};
    fs::remove_all(pattern, error);
  }
  return failure{failure_kind::missing, "a worker's private folder in " + parent.string() +
                                            " can't be locked; set TMPDIR to a folder that knows locks"};
}

scratch_root::scratch_root(scratch_root&& other) noexcept
    : folder_{std::exchange(other.folder_, {})}, lock_{std::move(other.lock_)} {}

scratch_root::~scratch_root() {
  std::error_code ignored;
  if (!folder_.empty())
    fs::remove_all(folder_, ignored);
}

} // namespace ke
