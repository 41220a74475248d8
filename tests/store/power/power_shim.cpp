// A preloaded library that writes down what a program does to the files below KE_POWER_ROOT, in the order in
// which it came back, into the file KE_POWER_LOG. KE_POWER_DEAF names the kinds of sync that it shall not
// hear: a program of which these are left out is as one that never asked for them (data: fdatasync and
// O_DSYNC, file: fsync of a file, folder: fsync of a folder, all).
#include "tests/store/power/log_format.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

namespace {

using namespace ke::power;

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name) static const auto next = real<decltype(&::name)>(#name)

struct recorder {
  std::string root;
  int log = -1;
  bool deaf_data = false, deaf_file = false, deaf_folder = false;
  std::mutex order;

  recorder() {
    const char* where = std::getenv("KE_POWER_ROOT");
    const char* to = std::getenv("KE_POWER_LOG");
    const char* deaf = std::getenv("KE_POWER_DEAF");
    if (!where || !to)
      return;
    root = std::string{where} + "/";
    log = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    std::string_view kinds = deaf ? deaf : "";
    auto names = [&](std::string_view kind) { return kinds == "all" || kinds.find(kind) != kinds.npos; };
    deaf_data = names("data");
    deaf_file = names("file");
    deaf_folder = names("folder");
  }

  static void put(int log, const void* from, std::size_t bytes) {
    auto* at = static_cast<const char*>(from);
    while (bytes > 0) {
      auto n = ::syscall(SYS_write, log, at, bytes);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        std::abort();
      at += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }

  void note(header h, std::string_view names, std::string_view data = {}) {
    auto before = errno;
    h.names = static_cast<std::uint32_t>(names.size());
    h.bytes = data.size();
    {
      std::lock_guard lock{order};
      put(log, &h, sizeof h);
      put(log, names.data(), names.size());
      put(log, data.data(), data.size());
    }
    errno = before;
  }
};

recorder& all() {
  static recorder& r = *new recorder; // outlives every destructor that writes
  return r;
}

/// The path below the root, empty if it is elsewhere.
std::string below_root(const char* path) {
  auto& r = all();
  if (r.log < 0 || !path)
    return {};
  std::string full = path;
  if (full.empty() || full[0] != '/') {
    char cwd[4096];
    full = (::getcwd(cwd, sizeof cwd) ? std::string{cwd} : std::string{}) + "/" + full;
  }
  return full.rfind(r.root, 0) == 0 ? full.substr(r.root.size()) : std::string{};
}

bool watched(int fd, struct stat& what) {
  if (all().log < 0 || ::fstat(fd, &what) != 0 || (!S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode)))
    return false;
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  auto n = ::readlink(link, path, sizeof path - 1);
  if (n <= 0)
    return false;
  path[n] = '\0';
  auto& root = all().root;
  return std::string_view{path}.substr(0, root.size()) == root ||
         std::string_view{path} == std::string_view{root}.substr(0, root.size() - 1);
}

bool is_there(const char* path) {
  struct stat s{};
  return ::stat(path, &s) == 0;
}

std::uint64_t file_of(int fd) {
  struct stat s{};
  ::fstat(fd, &s);
  return s.st_ino;
}

void noted_opening(int fd, const char* path, bool creates, bool was_there, bool truncates) {
  if (fd < 0)
    return;
  auto name = below_root(path);
  if (name.empty())
    return;
  if (creates && !was_there)
    all().note({act::create, 0, 0, file_of(fd), 0, 0, 0}, name);
  else if (truncates)
    all().note({act::resize, 0, 0, file_of(fd), 0, 0, 0}, name);
}

void noted_write(int fd, std::string_view data, off_t at) {
  struct stat s{};
  if (data.empty() || !watched(fd, s))
    return;
  bool synced = (::fcntl(fd, F_GETFL) & O_DSYNC) != 0 && !all().deaf_data;
  all().note({act::write, 0, 0, s.st_ino, static_cast<std::uint64_t>(at), synced ? 1u : 0u, 0}, "", data);
}

off_t place_of(int fd, ssize_t just_written) {
  return ::lseek(fd, 0, SEEK_CUR) - just_written;
}

void noted_sync(int fd, bool data_only) {
  struct stat s{};
  if (!watched(fd, s))
    return;
  auto& r = all();
  bool folder = S_ISDIR(s.st_mode);
  if (folder ? r.deaf_folder : data_only ? r.deaf_data : r.deaf_file)
    return;
  char link[64], path[4096] = {};
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  auto n = ::readlink(link, path, sizeof path - 1);
  std::string name(path, n > 0 ? static_cast<std::size_t>(n) : 0);
  name = name.size() < r.root.size() ? std::string{} : name.substr(r.root.size());
  r.note({act::sync, 0, 0, s.st_ino, 0, 0, folder ? 1u : 0u}, name);
}

template <class Open>
int opened(Open open, const char* path, int flags) {
  bool was_there = is_there(path);
  int fd = open();
  noted_opening(fd, path, (flags & O_CREAT) != 0, was_there, (flags & O_TRUNC) != 0);
  return fd;
}

FILE* opened(FILE* (*open)(const char*, const char*), const char* path, const char* mode) {
  bool was_there = is_there(path);
  auto* file = open(path, mode);
  if (file)
    noted_opening(::fileno(file), path, mode[0] != 'r', was_there, mode[0] == 'w');
  return file;
}

mode_t mode_in(int flags, va_list more) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

std::string joined(const iovec* parts, int count, ssize_t written) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  text.resize(static_cast<std::size_t>(written));
  return text;
}

} // namespace

extern "C" {

void ke_power_announce(unsigned number) {
  if (all().log >= 0)
    all().note({act::announce, 0, 0, 0, number, 0, 0}, "");
}

#define KE_OPEN(name)                                                                                        \
  int name(const char* path, int flags, ...) {                                                               \
    REAL(name);                                                                                              \
    va_list more;                                                                                            \
    va_start(more, flags);                                                                                   \
    auto mode = mode_in(flags, more);                                                                        \
    va_end(more);                                                                                            \
    return opened([&] { return next(path, flags, mode); }, path, flags);                                     \
  }
KE_OPEN(open)
KE_OPEN(open64)

FILE* fopen(const char* path, const char* mode) {
  REAL(fopen);
  return opened(next, path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  REAL(fopen64);
  return opened(next, path, mode);
}

ssize_t write(int fd, const void* data, size_t bytes) {
  REAL(write);
  auto n = next(fd, data, bytes);
  if (n > 0 && fd > 2)
    noted_write(fd, {static_cast<const char*>(data), static_cast<std::size_t>(n)}, place_of(fd, n));
  return n;
}
ssize_t writev(int fd, const iovec* parts, int count) {
  REAL(writev);
  auto n = next(fd, parts, count);
  if (n > 0 && fd > 2)
    noted_write(fd, joined(parts, count, n), place_of(fd, n));
  return n;
}
#define KE_PWRITE(name)                                                                                      \
  ssize_t name(int fd, const void* data, size_t bytes, off_t at) {                                           \
    REAL(name);                                                                                              \
    auto n = next(fd, data, bytes, at);                                                                      \
    if (n > 0)                                                                                               \
      noted_write(fd, {static_cast<const char*>(data), static_cast<std::size_t>(n)}, at);                    \
    return n;                                                                                                \
  }
KE_PWRITE(pwrite)
KE_PWRITE(pwrite64)
#define KE_PWRITEV(name)                                                                                     \
  ssize_t name(int fd, const iovec* parts, int count, off_t at) {                                            \
    REAL(name);                                                                                              \
    auto n = next(fd, parts, count, at);                                                                     \
    if (n > 0)                                                                                               \
      noted_write(fd, joined(parts, count, n), at);                                                          \
    return n;                                                                                                \
  }
KE_PWRITEV(pwritev)
KE_PWRITEV(pwritev64)

#define KE_RESIZE(name)                                                                                      \
  int name(int fd, off_t size) noexcept {                                                                    \
    REAL(name);                                                                                              \
    int rc = next(fd, size);                                                                                 \
    if (struct stat s{}; rc == 0 && watched(fd, s))                                                          \
      all().note({act::resize, 0, 0, s.st_ino, static_cast<std::uint64_t>(size), 0, 0}, "");                 \
    return rc;                                                                                               \
  }
KE_RESIZE(ftruncate)
KE_RESIZE(ftruncate64)

int fsync(int fd) {
  REAL(fsync);
  int rc = next(fd);
  if (rc == 0)
    noted_sync(fd, false);
  return rc;
}
int fdatasync(int fd) {
  REAL(fdatasync);
  int rc = next(fd);
  if (rc == 0)
    noted_sync(fd, true);
  return rc;
}

int mkdir(const char* path, mode_t mode) noexcept {
  REAL(mkdir);
  int rc = next(path, mode);
  if (auto name = rc == 0 ? below_root(path) : std::string{}; !name.empty()) {
    struct stat s{};
    ::stat(path, &s);
    all().note({act::folder, 0, 0, s.st_ino, 0, 0, 1}, name);
  }
  return rc;
}
int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  auto before = below_root(from), after = below_root(to);
  int rc = next(from, to);
  if (rc == 0 && !before.empty() && !after.empty())
    all().note({act::rename, 0, 0, 0, 0, 0, 0}, before + '\0' + after);
  return rc;
}
#define KE_REMOVE(name)                                                                                      \
  int name(const char* path) noexcept {                                                                      \
    REAL(name);                                                                                              \
    auto known = below_root(path);                                                                           \
    int rc = next(path);                                                                                     \
    if (rc == 0 && !known.empty())                                                                           \
      all().note({act::remove, 0, 0, 0, 0, 0, 0}, known);                                                    \
    return rc;                                                                                               \
  }
KE_REMOVE(unlink)
KE_REMOVE(remove)
KE_REMOVE(rmdir)

} // extern "C"
