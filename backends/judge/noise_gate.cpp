#include "backends/judge/noise_gate.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ke {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

double number_in(const std::string& path) {
  std::ifstream in{path};
  double value = 0;
  in >> value;
  return value;
}

std::string cpu_folder(int cpu) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
}

/// Events of thermal throttling so far; 0 where the machine does not count them.
std::uint64_t throttle_events(const std::vector<int>& cpus) {
  double sum = 0;
  for (int cpu : cpus)
    sum += number_in(cpu_folder(cpu) + "/thermal_throttle/core_throttle_count");
  return static_cast<std::uint64_t>(sum);
}

double judge_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

cpu_ticks parse_cpu_ticks(std::string_view proc_stat, const std::vector<int>& cpus) {
  cpu_ticks sum;
  std::istringstream lines{std::string{proc_stat}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name;
    words >> name;
    if (name.rfind("cpu", 0) != 0)
      continue;
    bool whole = name == "cpu";
    if (whole != cpus.empty())
      continue;
    if (!whole &&
        std::none_of(cpus.begin(), cpus.end(), [&](int cpu) { return name == "cpu" + std::to_string(cpu); }))
      continue;
    // user nice system idle iowait irq softirq steal; guests are counted in user already
    std::uint64_t ticks[8] = {};
    for (auto& t : ticks)
      words >> t;
    sum.busy += ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
    sum.stolen += ticks[7];
    for (auto t : ticks)
      sum.total += t;
  }
  return sum;
}

noise_gate::noise_gate(std::vector<int> cpus) : cpus_{std::move(cpus)} {}

void noise_gate::begin() {
  at_begin_ = last_ = parse_cpu_ticks(text_of("/proc/stat"), cpus_);
  throttled_at_begin_ = throttled_ = throttle_events(cpus_);
  judge_s_ = judge_seconds();
}

bool noise_gate::disturbed() {
  auto now = parse_cpu_ticks(text_of("/proc/stat"), cpus_);
  auto throttled = throttle_events(cpus_);
  bool hit = now.stolen > last_.stolen || throttled > throttled_;
  last_ = now;
  throttled_ = throttled;
  return hit;
}

std::map<std::string, double> noise_gate::facts(double own_s) const {
  auto now = parse_cpu_ticks(text_of("/proc/stat"), cpus_);
  double per_second = static_cast<double>(sysconf(_SC_CLK_TCK)),
         total = std::max(1.0, static_cast<double>(now.total - at_begin_.total)) / per_second,
         busy = static_cast<double>(now.busy - at_begin_.busy) / per_second,
         own = own_s + judge_seconds() - judge_s_;
  std::map<std::string, double> out;
  out["gate.load"] = number_in("/proc/loadavg");
  out["gate.others"] = std::clamp((busy - own) / total, 0.0, 1.0);
  out["gate.steal"] = static_cast<double>(now.stolen - at_begin_.stolen) / per_second / total;
  double fastest = 0;
  for (int cpu : cpus_)
    fastest = std::max(fastest, number_in(cpu_folder(cpu) + "/cpufreq/scaling_cur_freq") / 1000);
  if (fastest > 0)
    out["gate.mhz"] = fastest;
  out["gate.throttled"] = static_cast<double>(throttle_events(cpus_) - throttled_at_begin_);
  out["gate.loud"] = out["gate.others"] > loud_others || out["gate.steal"] > loud_steal ? 1 : 0;
  return out;
}

} // namespace ke
