#include "backends/evidence/ncu_report.hpp"

#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ke {
namespace {

constexpr double most_share = 1.05;
constexpr std::size_t most_kernels = 64, most_metrics = 160, longest_metric = 120, listed_kernels = 6;
constexpr std::string_view duration = "gpu__time_duration.sum";

constexpr std::string_view dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                           l2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                           l1 = "l1tex__throughput.avg.pct_of_peak_sustained_active",
                           fma = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
                           alu = "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
                           fp64 = "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
                           special = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
                           tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                           issue = "smsp__issue_active.avg.pct_of_peak_sustained_active",
                           warps = "sm__warps_active.avg.pct_of_peak_sustained_active",
                           warps_possible = "sm__maximum_warps_per_active_cycle_pct",
                           active = "sm__cycles_active.avg", active_most = "sm__cycles_active.max",
                           elapsed = "sm__cycles_elapsed.max", waves = "launch__waves_per_multiprocessor",
                           by_registers = "launch__occupancy_limit_registers",
                           by_shared = "launch__occupancy_limit_shared_mem",
                           by_warps = "launch__occupancy_limit_warps",
                           by_blocks = "launch__occupancy_limit_blocks",
                           conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                           wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                           used_loads = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                           used_stores = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
                           sectors = "lts__t_sectors.sum", atom_sectors = "lts__t_sectors_op_atom.sum",
                           red_sectors = "lts__t_sectors_op_red.sum", dram_read = "dram__bytes_read.sum",
                           dram_written = "dram__bytes_write.sum",
                           local_loads = "smsp__inst_executed_op_local_ld.sum";

/// What is only asked for, and shown as it is.
constexpr std::string_view others[] = {
    "launch__registers_per_thread", "launch__shared_mem_per_block", "launch__thread_count",
    "smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__inst_executed.sum"};

/// Why warps waited, in the tool's words, and in those of device_shares.hpp.
struct stall {
  std::string_view name, means;
};
constexpr stall stalls[] = {
    {"long_scoreboard", "loads"},
    {"short_scoreboard", "shared"},
    {"mio_throttle", "shared"},
    {"lg_throttle", "queue"},
    {"tex_throttle", "queue"},
    {"drain", "queue"},
    {"barrier", "sync"},
    {"membar", "sync"},
    {"sleeping", "sync"},
    {"wait", "results"},
    {"math_pipe_throttle", "units"},
    {"dispatch_stall", "units"},
    {"not_selected", "units"},
    {"no_instruction", "code"},
    {"branch_resolving", "code"},
    {"imc_miss", "code"},
    {"selected", "issue"},
};

std::string stall_metric(std::string_view name) {
  return "smsp__average_warps_issue_stalled_" + std::string{name} + "_per_issue_active.ratio";
}

/// Of the machine and the tool itself, or a value that another one tells as well.
bool is_idle_talk(std::string_view metric) {
  for (std::string_view begin : {"device__", "nvlink__", "c2clink__", "numa__", "profiler__"})
    if (metric.starts_with(begin))
      return true;
  if (metric == active || metric == active_most || metric == elapsed)
    return false;
  auto rollup = metric.substr(std::min(metric.find('.'), metric.size()));
  return rollup.starts_with(".min") || rollup.starts_with(".max") || rollup.starts_with(".sum.") ||
         rollup == ".avg";
}

/// One line's fields. In quotes, a quote is doubled; a field of more than a thousand characters is cut.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      all.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      all.emplace_back();
    else if (all.back().size() < 1000)
      all.back() += c;
  }
  return all;
}

/// A number with commas between its thousands; NaN: it is none, or none of any kernel.
double number_of(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  constexpr double most = 1e18; // sums of them stay finite
  return text.empty() || *end != '\0' || !(std::fabs(value) <= most) ? std::nan("") : value;
}

struct profiled_kernel {
  std::string name, grid, block;
  std::map<std::string, double> metrics;
  double ns() const {
    auto at = metrics.find(std::string{duration});
    return at == metrics.end() ? 0 : at->second;
  }
};

/// The columns' names, and what is a kernel's row below them.
class table {
public:
  explicit table(std::string_view text) {
    while (!text.empty() && kernels_.size() < most_kernels) {
      auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      take(fields_of(line));
    }
  }
  std::vector<profiled_kernel> kernels() && { return std::move(kernels_); }

private:
  void take(std::vector<std::string> fields) {
    if (fields.size() < 4)
      return;
    if (fields.front() == "ID")
      columns_ = std::move(fields);
    else if (fields.size() == columns_.size() &&
             !fields.front().empty()) // units stand in a row without an ID
      add(fields);
  }

  void add(const std::vector<std::string>& fields) {
    profiled_kernel k;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const auto& column = columns_[i];
      if (column == "Kernel Name")
        k.name = fields[i];
      else if (column == "Block Size")
        k.block = fields[i];
      else if (column == "Grid Size")
        k.grid = fields[i];
      else if (column.find("__") != std::string::npos && column.size() <= longest_metric &&
               !is_idle_talk(column) && k.metrics.size() < most_metrics)
        if (double value = number_of(fields[i]); std::isfinite(value))
          k.metrics[column] = value;
    }
    kernels_.push_back(std::move(k));
  }

  std::vector<std::string> columns_;
  std::vector<profiled_kernel> kernels_;
};

double together(const std::string& metric, const std::vector<profiled_kernel>& kernels) {
  double sum = 0, weighed = 0, weights = 0;
  for (const auto& k : kernels)
    if (auto at = k.metrics.find(metric); at != k.metrics.end()) {
      double weight = std::max(k.ns(), 1.0);
      sum += at->second;
      weighed += at->second * weight;
      weights += weight;
    }
  return metric.ends_with(".sum") ? sum : weighed / weights;
}

/// Shares and counts that no single metric tells.
class derived {
public:
  explicit derived(std::map<std::string, double>& counters) : counters_{counters} {}

  void all() {
    role("memory", {dram});
    role("cache", {l2, l1});
    role("compute", {fma, alu, fp64, special});
    role("tensor", {tensor});
    put("issue", of(issue) / 100);
    put("special", of(special) / 100);
    put("warps_possible", of(warps_possible) / 100);
    put("balance", of(active) / of(active_most));
    put("filled", of(active) / of(elapsed));
    put("waves", of(waves));
    put("conflicts", of(conflicts) / std::max(of(wavefronts), 1.0));
    put("used_of_loads", of(used_loads) / 100);
    put("used_of_stores", of(used_stores) / 100);
    put("atomics", (of(atom_sectors) + of(red_sectors)) / std::max(of(sectors), 1.0));
    limits();
    waits();
  }

private:
  double of(std::string_view name) const {
    auto at = counters_.find(std::string{name});
    return at == counters_.end() ? std::nan("") : at->second;
  }
  void put(const char* name, double value) {
    if (std::isfinite(value))
      counters_[counter_keys::kernels_of + std::string{name}] = value;
  }
  void role(const char* name, std::initializer_list<std::string_view> metrics) {
    double most = std::nan("");
    for (auto m : metrics)
      if (double share = of(m) / 100;
          share < most_share) // a kernel of a microsecond reads more than all of it
        most = std::fmax(most, share);
    if (std::isfinite(most))
      counters_[counter_keys::role_of + std::string{name}] = std::clamp(most, 0.0, 1.0);
  }

  /// What lets fewer blocks onto a multiprocessor than all else does.
  void limits() {
    double others_least = std::fmin(of(by_warps), of(by_blocks));
    put("limited_by_registers", of(by_registers) < std::fmin(others_least, of(by_shared)) ? 1 : 0);
    put("limited_by_shared", of(by_shared) < std::fmin(others_least, of(by_registers)) ? 1 : 0);
  }

  void waits() {
    std::map<std::string_view, double> by;
    double all = 0;
    for (const auto& s : stalls)
      if (double n = of(stall_metric(s.name)); std::isfinite(n)) {
        by[s.means] += n;
        all += n;
      }
    for (const auto& [means, n] : by)
      put(("waits." + std::string{means}).c_str(), n / std::max(all, 1e-9));
  }

  std::map<std::string, double>& counters_;
};

/// A candidate's words, on their way to terminals and prompts: at most so many, all printable.
std::string plain(std::string_view text, std::size_t most) {
  std::string out{text.substr(0, most)};
  std::replace_if(out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

std::string listing_of(const std::vector<profiled_kernel>& by_time, double all_ns) {
  std::string text;
  for (std::size_t i = 0; i < std::min(by_time.size(), listed_kernels); ++i) {
    const auto& k = by_time[i];
    auto registers = k.metrics.find("launch__registers_per_thread");
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%.0f%% %.2f us ", 100 * k.ns() / std::max(all_ns, 1e-9),
                  k.ns() / 1e3);
    text += (i ? "\n" : "") + std::string{numbers} + plain(k.name, 100) + " grid " + plain(k.grid, 24) +
            " block " + plain(k.block, 24);
    if (registers != k.metrics.end())
      text += " registers " + std::to_string(std::lround(registers->second));
  }
  return text;
}

} // namespace

std::string ncu_metrics() {
  std::string all{duration};
  for (auto name : {dram,           l2,         l1,           fma,        alu,
                    fp64,           special,    tensor,       issue,      warps,
                    warps_possible, active,     active_most,  elapsed,    waves,
                    by_registers,   by_shared,  by_warps,     by_blocks,  conflicts,
                    wavefronts,     used_loads, used_stores,  sectors,    atom_sectors,
                    red_sectors,    dram_read,  dram_written, local_loads})
    all += "," + std::string{name};
  for (auto name : others)
    all += "," + std::string{name};
  for (const auto& s : stalls)
    all += "," + stall_metric(s.name);
  return all;
}

std::string ncu_trouble(std::string_view text) {
  if (text.find("ERR_NVGPUCTRPERM") != text.npos)
    return "the driver keeps its counters for administrators (ERR_NVGPUCTRPERM); load the module nvidia with "
           "NVreg_RestrictProfilingToAdminUsers=0";
  if (text.find("InsufficientDriver") != text.npos ||
      text.find("driver version is insufficient") != text.npos)
    return "Nsight Compute is newer than this driver; install the one of the driver's CUDA version";
  if (text.find("Another tool") != text.npos || text.find("profiler is already") != text.npos ||
      text.find("ResourceUnavailable") != text.npos || text.find("resource unavailable") != text.npos)
    return "another tool has the device's counters (DCGM, say: dcgmi profile --pause); end or pause it";
  return {};
}

profile_result read_ncu(std::string_view text) {
  profile_result found;
  auto kernels = table{text}.kernels();
  if (kernels.empty()) {
    auto why = ncu_trouble(text);
    found.findings[finding_keys::nothing_from + std::string{"ncu"}] =
        why.empty() ? "the tool saw no kernel in the call" : why;
    return found;
  }
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return std::tuple{-a.ns(), a.name, a.grid} < std::tuple{-b.ns(), b.name, b.grid};
  });
  for (const auto& k : kernels)
    for (const auto& [metric, value] : k.metrics)
      if (found.counters.size() < most_metrics && !found.counters.contains(metric))
        found.counters[metric] = metric.starts_with("launch__") ? value : together(metric, kernels);
  double all_ns = 0;
  for (const auto& k : kernels)
    all_ns += k.ns();
  found.counters[counter_keys::kernels_count] = static_cast<double>(kernels.size());
  found.counters[counter_keys::kernels_ns] = all_ns;
  derived{found.counters}.all();
  found.findings[finding_keys::device_kernels] = listing_of(kernels, all_ns);
  return found;
}

} // namespace ke
