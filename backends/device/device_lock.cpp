#include "backends/device/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace ke {

unique_fd lock_device(const std::string& uuid) {
  // One place for all users: a lock in a private folder would hold nobody else back.
  auto file = "/tmp/ke-runtime-" + uuid + ".lock";
  unique_fd lock{::open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)};
  while (lock && ::flock(lock.get(), LOCK_EX) != 0)
    if (errno != EINTR)
      lock.reset();
  return lock;
}

} // namespace ke
