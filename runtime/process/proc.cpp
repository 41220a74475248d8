#include "runtime/process/proc.hpp"

#include "runtime/process/unique_fd.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <charconv>
#include <memory>

namespace ke::proc {
namespace {

/// The entries of a folder whose names are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> found;
  std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir(path.c_str()), ::closedir};
  if (!folder)
    return found;
  while (auto* entry = ::readdir(folder.get())) {
    std::string_view name = entry->d_name;
    pid_t n = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), n);
    if (error == std::errc{} && end == name.data() + name.size())
      found.push_back(n);
  }
  return found;
}

void add_numbers(std::string_view text, std::vector<pid_t>& to) {
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    pid_t n = 0;
    auto [next, error] = std::from_chars(at, end, n);
    if (error == std::errc{})
      to.push_back(n);
    at = next + 1;
  }
}

/// For kernels without CONFIG_PROC_CHILDREN.
std::vector<pid_t> children_by_scan(pid_t pid) {
  std::vector<pid_t> found;
  for (auto candidate : numbers_in("/proc"))
    if (auto stat = read("/proc/" + std::to_string(candidate) + "/stat"); stat && parent_in(*stat) == pid)
      found.push_back(candidate);
  return found;
}

bool kernel_lists_children() {
  static const bool listed = ::access("/proc/thread-self/children", R_OK) == 0;
  return listed;
}

} // namespace

std::optional<std::string> read(const std::string& path) {
  unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file)
    return std::nullopt;
  std::string text;
  char chunk[4096];
  for (;;) {
    auto n = ::read(file.get(), chunk, sizeof chunk);
    if (n < 0)
      return std::nullopt;
    if (n == 0)
      return text;
    text.append(chunk, static_cast<std::size_t>(n));
  }
}

std::vector<pid_t> threads_of(pid_t pid) {
  return numbers_in("/proc/" + std::to_string(pid) + "/task");
}

std::vector<pid_t> children_of(pid_t pid) {
  if (!kernel_lists_children())
    return children_by_scan(pid);
  std::vector<pid_t> found;
  auto base = "/proc/" + std::to_string(pid) + "/task/";
  for (auto thread : threads_of(pid))
    if (auto text = read(base + std::to_string(thread) + "/children"))
      add_numbers(*text, found);
  return found;
}

char state_in(std::string_view stat) {
  auto name_end = stat.rfind(')');
  return name_end == stat.npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

pid_t parent_in(std::string_view stat) {
  auto name_end = stat.rfind(')');
  if (name_end == stat.npos || name_end + 4 >= stat.size())
    return -1;
  pid_t parent = -1;
  std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  return parent;
}

} // namespace ke::proc
