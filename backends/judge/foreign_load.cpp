#include "backends/judge/foreign_load.hpp"

#include "backends/judge/noise_gate.hpp"
#include "backends/judge/stopwatch.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace ke {
namespace {

constexpr double of_one_processor = 0.15; ///< what a quiet system does by itself, and more
constexpr double of_spare_ones = 0.5;     ///< who has others to go to leaves the measured ones alone
constexpr auto moment = std::chrono::milliseconds{40}; ///< ten ticks of the kernel's account

double ticked_seconds() {
  return static_cast<double>(parse_cpu_ticks(kernel_text("/proc/stat"), {}).busy) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

double seconds_in_usage(const std::string& text) {
  return std::strtod(text.c_str(), nullptr) * 1e-9;
}

enum class account { first, second, ticks };

double grouped_seconds(account which) {
  return which == account::first ? seconds_in_usage(kernel_text("/sys/fs/cgroup/cpuacct/cpuacct.usage"))
                                 : seconds_in_cpu_stat(kernel_text("/sys/fs/cgroup/cpu.stat"));
}

account finest_account() {
  double ticked = ticked_seconds();
  for (auto which : {account::first, account::second})
    if (double s = grouped_seconds(which); s > 0.9 * ticked && s < 1.1 * ticked)
      return which;
  return account::ticks;
}

} // namespace

double seconds_in_cpu_stat(std::string_view text) {
  constexpr std::string_view key = "usage_usec ";
  auto at = text.find(key);
  return at == text.npos ? 0
                         : std::strtod(std::string{text.substr(at + key.size(), 24)}.c_str(), nullptr) * 1e-6;
}

double machine_seconds() {
  static const auto which = finest_account();
  return which == account::ticks ? ticked_seconds() : grouped_seconds(which);
}

foreign_load::foreign_load(std::size_t measured) {
  auto there = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  allowed_ = of_one_processor + of_spare_ones * std::max(0.0, there - static_cast<double>(measured));
  begin(0);
}

void foreign_load::begin(double own_s) {
  machine_s_ = machine_seconds();
  judge_s_ = judge_seconds();
  own_s_ = own_s;
  begun_ = steady::now();
}

double foreign_load::seen(double own_s) const {
  double wall = std::max(seconds_since(begun_), 1e-6), own = own_s - own_s_ + judge_seconds() - judge_s_;
  return std::max(0.0, machine_seconds() - machine_s_ - own) / wall;
}

double foreign_load::wait_for_calm(double limit_s) const {
  auto begun = steady::now();
  foreign_load now = *this;
  while (seconds_since(begun) < limit_s) {
    now.begin(0);
    std::this_thread::sleep_for(moment);
    if (is_calm(now.seen(0)))
      break;
  }
  return seconds_since(begun);
}

} // namespace ke
