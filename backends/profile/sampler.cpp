#include "backends/profile/sampler.hpp"

#include "runtime/process/freezer.hpp"
#include "runtime/process/proc.hpp"
#include "runtime/process/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace ke {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto between = 1ms, patience = 100ms, cores_window = 60ms;
constexpr std::size_t fewest = 8; ///< samples that say anything

failure not_sampled(std::string why) {
  return {failure_kind::device, std::move(why)};
}

/// One process while it is sampled. When this ends, the process and its descendants are gone.
class watched {
public:
  watched(child process, bool launcher) : process_{std::move(process)} {
    group_.emplace(process_.pid, launcher);
  }
  ~watched() {
    group_->resume();
    group_.reset();
    kill_tree(process_);
  }
  watched(const watched&) = delete;
  watched& operator=(const watched&) = delete;

  /// Waits for a while or for an event, and empties its pipes. False: the process has ended.
  bool wait(std::chrono::nanoseconds nap) {
    pollfd fds[3] = {
        {process_.pidfd.get(), POLLIN, 0}, {process_.out.get(), POLLIN, 0}, {process_.err.get(), POLLIN, 0}};
    timespec t{nap.count() / 1'000'000'000, nap.count() % 1'000'000'000};
    (void)::ppoll(fds, 3, &t, nullptr);
    if (empty(process_.out))
      begun_ = true;
    (void)empty(process_.err);
    return (fds[0].revents & POLLIN) == 0;
  }
  bool begun() const { return begun_; }
  freezer& group() { return *group_; }

  /// The member that runs `program`; 0 if none does.
  pid_t running(const std::string& program) {
    group_->find_all();
    for (auto pid : group_->members()) {
      char path[4096];
      auto n = ::readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
      if (n > 0 && std::string_view{path, static_cast<std::size_t>(n)} == program)
        return pid;
    }
    return 0;
  }

private:
  /// Whether there was something. A closed pipe is let go: it would keep poll awake.
  static bool empty(unique_fd& pipe) {
    bool some = false;
    char part[4096];
    // Not for as long as there is something: who writes without end would keep us here.
    for (int reads = 0; pipe && reads < 32; ++reads) {
      auto n = ::read(pipe.get(), part, sizeof part);
      some = some || n > 0;
      if (n == 0)
        pipe.reset();
      if (n <= 0)
        break;
    }
    return some;
  }

  child process_;
  std::optional<freezer> group_;
  bool begun_ = false;
};

/// Seconds in which the threads of a process ran or were ready to.
double wanted_s(pid_t pid) {
  double sum = 0;
  for (auto id : proc::threads_of(pid)) {
    auto text = proc::read("/proc/" + std::to_string(pid) + "/task/" + std::to_string(id) + "/schedstat");
    char* rest = nullptr;
    if (text)
      sum += 1e-9 * (static_cast<double>(std::strtoull(text->c_str(), &rest, 10)) +
                     static_cast<double>(std::strtoull(rest, nullptr, 10)));
  }
  return sum;
}

/// Without a stop in between, which would be no idleness and no work.
double cores_of(watched& it, pid_t pid) {
  auto start = steady::now();
  double before = wanted_s(pid);
  while (steady::now() - start < cores_window)
    if (!it.wait(cores_window))
      return 0;
  return (wanted_s(pid) - before) / std::chrono::duration<double>(steady::now() - start).count();
}

} // namespace

std::uint64_t place_in(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == ' '))
    line.remove_suffix(1);
  auto last = line.rfind(' ');
  if (last == line.npos || line.substr(last + 1, 2) != "0x")
    return 0; // "running"
  return std::strtoull(std::string{line.substr(last + 1)}.c_str(), nullptr, 16);
}

result<samples> sample_process(const process_spec& spec, const std::string& program, bool launcher,
                               double seconds) {
  auto started = spawn(spec);
  if (!started)
    return started.error();
  watched it{std::move(*started), launcher};
  auto until = steady::now() + spec.deadline;
  while (!it.begun() && steady::now() < until)
    if (!it.wait(20ms) && !it.begun())
      return not_sampled("it ended before its first call had");
  if (!it.begun())
    return not_sampled("took too long");
  pid_t pid = it.running(program);
  auto own = "/proc/" + std::to_string(pid);
  unique_fd where{::open((own + "/task/" + std::to_string(pid) + "/syscall").c_str(), O_RDONLY | O_CLOEXEC)};
  if (pid == 0 || !where)
    return not_sampled("this machine does not let us look where a process is");
  samples found;
  found.cores = cores_of(it, pid);
  until = std::min(until, steady::now() + std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)});
  while (steady::now() < until && it.wait(between) && it.group().stop(patience)) {
    char text[256];
    auto n = ::pread(where.get(), text, sizeof text, 0);
    if (auto at = place_in({text, n > 0 ? static_cast<std::size_t>(n) : 0}))
      found.places.push_back(at);
    it.group().resume();
  }
  found.maps = proc::read(own + "/maps").value_or("");
  if (found.places.size() < fewest || found.maps.empty())
    return not_sampled("it could be seen too seldom");
  return found;
}

} // namespace ke
