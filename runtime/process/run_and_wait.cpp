#include "runtime/process/run_and_wait.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>

namespace ke {

process_exit run_and_wait(process_port& processes, process_spec spec) {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<process_exit> ended;
  processes.run(std::move(spec), [&](process_exit e) {
    std::lock_guard lock{mutex};
    ended = std::move(e);
    changed.notify_all();
  });
  std::unique_lock lock{mutex};
  changed.wait(lock, [&] { return ended.has_value(); });
  return *std::move(ended);
}

} // namespace ke
