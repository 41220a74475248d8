#include "backends/judge/drivers/device_energy.hpp"

#include "backends/judge/drivers/device_conditions.hpp"
#include "backends/judge/drivers/device_state.hpp"
#include "backends/judge/energy_account.hpp"
#include "backends/judge/stopwatch.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace ke::on_device {
namespace {

constexpr double order_limit_s = 5;

/// Looks at the device's count all the time, for a look takes some ms and does not disturb what runs.
class account {
public:
  explicit account(steady::time_point begun) : begun_{begun}, thread_{[this] { watch(); }} {}
  ~account() { (void)ticks(); }
  account(const account&) = delete;
  account& operator=(const account&) = delete;

  /// Those so far; it looks no more.
  const std::vector<energy_tick>& ticks() {
    ends_ = true;
    if (thread_.joinable())
      thread_.join();
    return ticks_;
  }

private:
  void watch() {
    for (double before = joules(); !ends_;)
      if (double now = joules(); now > before) {
        ticks_.push_back({seconds_since(begun_), now});
        before = now;
      }
  }

  steady::time_point begun_;
  std::atomic<bool> ends_ = false;
  std::vector<energy_tick> ticks_;
  std::thread thread_; ///< last: it uses the others
};

} // namespace

double energy(device_state& d, double seconds) {
  if (joules() <= 0)
    return 0;
  const auto begun = steady::now();
  account used{begun};
  std::vector<double> ends;
  while (seconds_since(begun) < seconds) {
    if (d.process->ask(wire::device_request::run, order_limit_s).end != call_end::done)
      return 0;
    ends.push_back(seconds_since(begun));
  }
  return joules_per_order(used.ticks(), ends);
}

} // namespace ke::on_device
