#include "runtime/process/memory_cgroup.hpp"

#include "runtime/process/proc.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

namespace ke {
namespace {

constexpr std::string_view group_prefix = "ke-memory-";

/// Of a list that commas or blanks divide.
bool has_word(std::string list, std::string_view word) {
  std::replace(list.begin(), list.end(), ',', ' ');
  std::istringstream in{list};
  return std::find(std::istream_iterator<std::string>{in}, {}, word) != std::istream_iterator<std::string>{};
}

bool put(const std::string& file, const std::string& text) {
  unique_fd fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Where our own group of this kind ("cgroup", "cgroup2") is mounted; empty if it is not.
std::string folder_of(const std::string& kind, const std::string& option, const std::string& own) {
  std::istringstream mounts{proc::read("/proc/self/mountinfo").value_or("")};
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words{line};
    std::string skip, root, where, type, source, options;
    words >> skip >> skip >> skip >> root >> where;
    while (words >> skip && skip != "-") {
    }
    words >> type >> source >> options;
    if (type != kind || (!option.empty() && !has_word(options, option)))
      continue;
    auto inside = root == "/" || !own.starts_with(root) ? own : own.substr(root.size());
    auto folder = where + (inside == "/" ? "" : inside);
    return ::access(folder.c_str(), W_OK) == 0 ? folder : where;
  }
  return {};
}

/// The groups in which we may try to make one, and whether they are of version 2.
std::vector<std::pair<std::string, bool>> places() {
  std::vector<std::pair<std::string, bool>> found;
  std::istringstream own{proc::read("/proc/self/cgroup").value_or("")};
  for (std::string line; std::getline(own, line);) {
    auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos)
      continue;
    auto controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (has_word(controllers, "memory")) {
      if (auto folder = folder_of("cgroup", "memory", path); !folder.empty())
        found.emplace_back(folder, false);
    } else if (controllers.empty()) {
      auto folder = folder_of("cgroup2", "", path);
      for (const auto& at : {folder, std::filesystem::path{folder}.parent_path().string()})
        if (!at.empty() && ::access((at + "/cgroup.procs").c_str(), W_OK) == 0 &&
            has_word(proc::read(at + "/cgroup.subtree_control").value_or(""), "memory"))
          found.emplace_back(at, true);
    }
  }
  return found;
}

/// Removes the groups that a killed process of ours left behind.
void sweep(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
    auto name = entry.path().filename().string();
    if (!name.starts_with(group_prefix))
      continue;
    auto owner = std::strtol(name.c_str() + group_prefix.size(), nullptr, 10);
    if (owner > 0 && ::access(("/proc/" + std::to_string(owner)).c_str(), F_OK) != 0)
      ::rmdir(entry.path().c_str());
  }
}

} // namespace

memory_cgroup::memory_cgroup(std::string folder, unique_fd entrance)
    : folder_{std::move(folder)}, entrance_{std::move(entrance)} {}

memory_cgroup::memory_cgroup(memory_cgroup&& other) noexcept
    : folder_{std::exchange(other.folder_, {})}, entrance_{std::move(other.entrance_)} {}

memory_cgroup::~memory_cgroup() {
  entrance_.reset();
  if (!folder_.empty())
    ::rmdir(folder_.c_str());
}

std::optional<memory_cgroup> memory_cgroup::make(std::uint64_t bytes) {
  static const auto known = [] {
    auto all = places();
    for (const auto& place : all)
      sweep(place.first);
    return all;
  }();
  static std::atomic<std::uint64_t> number{0};
  auto name = "/" + std::string{group_prefix} + std::to_string(::getpid()) + "-" + std::to_string(++number);
  for (const auto& [place, second] : known) {
    auto folder = place + name;
    if (::mkdir(folder.c_str(), 0700) != 0)
      continue;
    auto limit = std::to_string(bytes);
    unique_fd entrance{::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
    bool bounded = put(folder + (second ? "/memory.max" : "/memory.limit_in_bytes"), limit);
    // Not on every machine: without them a member may be swapped out beyond the limit.
    put(folder + (second ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"), second ? "0" : limit);
    if (entrance && bounded)
      return memory_cgroup{std::move(folder), std::move(entrance)};
    ::rmdir(folder.c_str());
  }
  return std::nullopt;
}

bool memory_cgroup::adopt(pid_t process) const {
  auto text = std::to_string(process);
  return ::write(entrance_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool memory_cgroup::ran_out() const {
  // Lines "name number": oom_kill in memory.events (2) or memory.oom_control (1).
  for (auto file : {"/memory.events", "/memory.oom_control"}) {
    std::istringstream in{proc::read(folder_ + file).value_or("")};
    std::string name;
    for (std::uint64_t count = 0; in >> name >> count;)
      if (name == "oom_kill" && count > 0)
        return true;
  }
  return false;
}

} // namespace ke
