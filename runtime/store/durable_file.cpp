#include "runtime/store/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>

namespace ke {

int replace_file(const std::string& path, std::string_view bytes) {
  auto part = path + ".part";
  int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return errno;
  int rc = 0;
  while (rc == 0 && !bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n > 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      rc = n == 0 ? ENOSPC : errno;
  }
  if (rc == 0 && ::fsync(fd) != 0)
    rc = errno;
  if (::close(fd) != 0 && rc == 0)
    rc = errno;
  if (rc == 0 && std::rename(part.c_str(), path.c_str()) != 0)
    rc = errno;
  if (rc != 0) {
    ::unlink(part.c_str()); // on a full disk its space is what is missing
    return rc;
  }
  auto slash = path.rfind('/');
  return sync_directory(slash == path.npos ? "." : path.substr(0, slash));
}

int make_folder(const std::string& path) {
  static std::mutex guard;
  static std::set<std::string>& durable = *new std::set<std::string>; // as far as this process knows
  std::lock_guard lock{guard};
  const bool made = ::mkdir(path.c_str(), 0700) == 0;
  if (!made && errno != EEXIST)
    return errno;
  if (!made && durable.contains(path))
    return 0;
  auto slash = path.rfind('/');
  int rc = sync_directory(slash == path.npos ? "." : path.substr(0, slash));
  if (rc == 0)
    durable.insert(path);
  return rc;
}

int sync_directory(const std::string& dir) {
  int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int rc = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return rc;
}

} // namespace ke
