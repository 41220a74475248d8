#include "backends/judge/code_pages.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace ke {
namespace {

/// Places that a sandbox may write to. A file without a name is shown as one of the file system it is in.
constexpr std::array<std::string_view, 3> writable = {"/tmp/scratch/", "/dev/shm/", "/memfd:"};

bool may_be_written(std::string_view path) {
  return std::any_of(writable.begin(), writable.end(),
                     [&](std::string_view place) { return path.starts_with(place); });
}

} // namespace

std::string changeable_code(const std::vector<pid_t>& members) {
  for (auto pid : members) {
    std::ifstream maps{"/proc/" + std::to_string(pid) + "/maps"};
    bool any = false;
    for (std::string line; std::getline(maps, line); any = true) {
      std::istringstream words{line};
      std::string range, rights, offset, device, inode, path;
      words >> range >> rights >> offset >> device >> inode >> path;
      if (rights.size() != 4 || rights[2] != 'x')
        continue;
      if (rights[1] == 'w')
        return "a page that is writable and executable";
      if (rights[3] == 's' || may_be_written(path))
        return "executable pages of a file that it can write to";
    }
    if (!any) // its first thread has ended, or it has closed itself
      return "memory that nobody can look into";
  }
  return {};
}

} // namespace ke
