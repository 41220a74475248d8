#include "backends/judge/thread_filters.hpp"

#include "backends/judge/code_pages.hpp"
#include "runtime/process/proc.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace ke {
namespace {

std::string status_of(const std::string& place) {
  return proc::read("/proc/" + place + "/status").value_or("");
}

/// The sandbox's own first process, which runs nothing foreign.
bool is_first(const std::string& status) {
  auto at = status.find("\nNSpid:\t");
  auto end = at == status.npos ? at : status.find('\n', at + 1);
  return end != status.npos && status.compare(end - 2, 2, "\t1") == 0;
}

} // namespace

std::optional<int> filters_in(const char* status) {
  constexpr const char* key = "\nSeccomp_filters:\t";
  const char* at = std::strstr(status, key);
  if (!at)
    return std::nullopt;
  return std::atoi(at + std::strlen(key));
}

bool all_confined(const std::vector<pid_t>& members, int more) {
  auto born_with = filters_in(status_of("self").c_str());
  if (!born_with)
    return true;
  for (auto pid : members)
    if (auto status = status_of(std::to_string(pid)); is_first(status))
      born_with = filters_in(status.c_str()).value_or(*born_with);
  for (auto pid : members) {
    auto place = std::to_string(pid);
    if (is_first(status_of(place)))
      continue;
    for (auto thread : proc::threads_of(pid))
      if (filters_in(status_of(place + "/task/" + std::to_string(thread)).c_str()).value_or(0) <
          *born_with + more)
        return false;
  }
  return true;
}

std::string left_by_loading(const std::vector<pid_t>& members) {
  constexpr int of_driver = 2; // before loading, and after
  if (!all_confined(members, of_driver))
    return "a thread without the driver's filters of system calls";
  return changeable_code(members);
}

} // namespace ke
