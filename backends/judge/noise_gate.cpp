#include "backends/judge/noise_gate.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace ke {
namespace {

double number_in(const std::string& path) {
  std::ifstream in{path};
  double value = 0;
  in >> value;
  return value;
}

/// Whether this thread may run on any of these; none: on all.
bool works_on(const std::vector<int>& cpus) {
  cpu_set_t own;
  CPU_ZERO(&own);
  return cpus.empty() || sched_getaffinity(0, sizeof own, &own) != 0 ||
         std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return CPU_ISSET(cpu, &own); });
}

std::string cpu_folder(int cpu) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
}

} // namespace

std::string kernel_text(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

double judge_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

cpu_ticks parse_cpu_ticks(std::string_view proc_stat, const std::vector<int>& cpus) {
  cpu_ticks sum;
  std::istringstream lines{std::string{proc_stat}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name;
    words >> name;
    if (!name.starts_with("cpu"))
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

clock_reading host_clocks(const std::vector<int>& cpus) {
  clock_reading now;
  double events = 0;
  for (int cpu : cpus) {
    events += number_in(cpu_folder(cpu) + "/thermal_throttle/core_throttle_count");
    now.mhz = std::max(now.mhz, number_in(cpu_folder(cpu) + "/cpufreq/scaling_cur_freq") / 1000);
  }
  now.throttled = static_cast<std::uint64_t>(events);
  return now;
}

others_reading host_others(const std::vector<int>& cpus) {
  return {parse_cpu_ticks(kernel_text("/proc/stat"), cpus), number_in("/proc/loadavg")};
}

noise_gate::noise_gate(std::vector<int> cpus, clocks_of clocks, others_of others)
    : cpus_{std::move(cpus)}, clocks_{clocks}, others_{others} {}

void noise_gate::resume() {
  counts_ = true;
  since_ = last_ = others_(cpus_).ticks;
  throttled_since_ = throttled_ = clocks_(cpus_).throttled;
  judge_since_ = judge_seconds();
}

void noise_gate::pause() {
  if (!std::exchange(counts_, false))
    return;
  auto now = others_(cpus_).ticks;
  counted_.busy += now.busy - since_.busy;
  counted_.stolen += now.stolen - since_.stolen;
  counted_.total += now.total - since_.total;
  throttled_counted_ += clocks_(cpus_).throttled - throttled_since_;
  // Beside a device's drivers the judge works on other processors.
  if (works_on(cpus_))
    judge_s_ += judge_seconds() - judge_since_;
}

bool noise_gate::disturbed() {
  auto now = others_(cpus_).ticks;
  auto throttled = clocks_(cpus_).throttled;
  bool hit = now.stolen > last_.stolen || throttled > throttled_;
  last_ = now;
  throttled_ = throttled;
  return hit;
}

std::map<std::string, double> noise_gate::facts(double own_s) const {
  auto clock = clocks_(cpus_);
  double per_second = static_cast<double>(sysconf(_SC_CLK_TCK)),
         total = std::max(1.0, static_cast<double>(counted_.total)) / per_second,
         busy = static_cast<double>(counted_.busy) / per_second, own = own_s + judge_s_;
  std::map<std::string, double> out;
  out["gate.load"] = others_(cpus_).load;
  out["gate.others"] = std::clamp((busy - own) / total, 0.0, 1.0);
  out["gate.steal"] = static_cast<double>(counted_.stolen) / per_second / total;
  if (clock.mhz > 0)
    out["gate.mhz"] = clock.mhz;
  out["gate.throttled"] = static_cast<double>(throttled_counted_);
  out["gate.loud"] = out["gate.others"] > loud_others || out["gate.steal"] > loud_steal ? 1 : 0;
  return out;
}

} // namespace ke
