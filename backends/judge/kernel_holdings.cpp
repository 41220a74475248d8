#include "backends/judge/kernel_holdings.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <memory>

namespace ke {
namespace {

/// Whether this is a memory file system that we do not see under the same path, so one of the sandbox.
bool belongs_inside(int place, const char* path) {
  struct statfs kind{};
  struct stat theirs{}, ours{};
  return ::fstatfs(place, &kind) == 0 && kind.f_type == TMPFS_MAGIC && ::fstat(place, &theirs) == 0 &&
         (::stat(path, &ours) != 0 || ours.st_dev != theirs.st_dev);
}

/// Open descriptors of a process, at most `most`; 0 if it is gone.
std::uint32_t descriptors_of(pid_t pid, std::uint32_t most) {
  std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir(("/proc/" + std::to_string(pid) + "/fd").c_str()),
                                             ::closedir};
  std::uint32_t found = 0;
  while (folder && found < most) {
    auto* entry = ::readdir(folder.get());
    if (!entry)
      break;
    found += entry->d_name[0] != '.' ? 1 : 0;
  }
  return found;
}

} // namespace

void kernel_holdings::open(pid_t inside) {
  if (!places_.empty())
    return;
  for (auto path : {"/tmp/scratch", "/dev/shm"}) {
    unique_fd place{::open(("/proc/" + std::to_string(inside) + "/root" + path).c_str(),
                           O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (place && belongs_inside(place.get(), path))
      places_.push_back(std::move(place));
  }
}

std::string kernel_holdings::over(const std::vector<pid_t>& members, std::uint32_t descriptors,
                                  std::uint64_t inodes) const {
  for (const auto& place : places_)
    if (struct statfs now{}; inodes != 0 && ::fstatfs(place.get(), &now) == 0 &&
                             now.f_files - std::min(now.f_files, now.f_ffree) >= inodes)
      return "the candidate reached its limit of " + std::to_string(inodes) + " files in memory";
  if (descriptors != 0)
    for (auto pid : members)
      if (descriptors_of(pid, descriptors) + 1 >= descriptors) // who asks for two at once stops one before it
        return "the candidate reached its limit of " + std::to_string(descriptors) + " open descriptors";
  return {};
}

} // namespace ke
