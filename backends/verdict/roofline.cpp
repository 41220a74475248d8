#include "backends/verdict/roofline.hpp"

#include "backends/verdict/quantiles.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/text/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace ke {
namespace {

using peak_values = std::map<std::string, double>;

constexpr double slack = 0.8;
constexpr const char* levels[] = {"l1", "l2", "l3"};

double value(const peak_values& peaks, const std::string& key) {
  auto at = peaks.find(key);
  return at == peaks.end() ? 0 : at->second;
}

std::int64_t threads_of(const problem& what, const peak_values& peaks) {
  auto cores = static_cast<std::int64_t>(std::max(1.0, value(peaks, "threads")));
  return std::clamp<std::int64_t>(what.policy.threads, 1, cores);
}

/// Fast algorithms need fewer multiplications than the textbook's formula counts: Strassen's and Winograd's
/// products, Winograd's convolutions (4 of 9 and fewer). The floor may not forbid them.
double fewest_operations(const std::string& family) {
  if (family == "conv")
    return 0.25;
  if (family == "matmul" || family == "attention")
    return 0.6;
  return 1;
}

/// The slowest of the transfers that must happen. All bytes pass the first level; bytes that the nearer
/// levels can't have held come from further out, at that level's speed at most. A set a little larger than a
/// cache is mostly in it.
void bind_memory(physical_floor& f, bool cold, const peak_values& peaks, std::int64_t threads) {
  double held = 0, set = std::max(f.cost.tensor_bytes, 1.0), n = static_cast<double>(threads);
  auto bound = [&](const char* level, double bytes) {
    auto bandwidth = peak_rate(peaks, std::string{"bytes."} + level, threads);
    if (bandwidth > 0 && bytes / bandwidth > f.memory_s) {
      f.memory_s = bytes / bandwidth;
      f.bandwidth = bandwidth;
      f.moved = bytes;
      f.level = level;
    }
  };
  for (const char* level : levels) {
    bound(level, f.cost.bytes * std::max(0.0, 1 - held / set));
    double size = value(peaks, std::string{"size."} + level);
    held = level == std::string{"l3"} ? held + size : std::max(held, size * n); // it may hold what l2 doesn't
  }
  // Results may stay in a cache when the call ends; what is read must have come.
  double arrives = std::max(0.0, 1 - held / set) * f.cost.bytes;
  bound("dram", cold ? std::max(arrives, std::min(f.cost.bytes, f.cost.input_bytes)) : arrives);
}

std::string engineering(double x, const char* unit) {
  char text[64];
  const char* prefix = x >= 1e12 ? "T" : x >= 1e9 ? "G" : x >= 1e6 ? "M" : x >= 1e3 ? "k" : "";
  double scale = x >= 1e12 ? 1e12 : x >= 1e9 ? 1e9 : x >= 1e6 ? 1e6 : x >= 1e3 ? 1e3 : 1;
  std::snprintf(text, sizeof text, "%.3g %s%s", x / scale, prefix, unit);
  return text;
}

std::string microseconds(double s) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4g us", s * 1e6);
  return text;
}

} // namespace

double peak_rate(const peak_values& peaks, const std::string& figure, std::int64_t threads) {
  auto with = [&](const std::string& key) {
    double one = value(peaks, key + ".1"), all = value(peaks, key + ".all");
    auto cores = std::max(1.0, value(peaks, "threads"));
    auto n = std::min(static_cast<double>(threads), cores);
    bool shared = figure == "bytes.l3" || figure == "bytes.dram";
    if (n <= 1)
      return one;
    // Fewer threads than cores may well fill a shared bus: at most what all reach, at least what one does.
    return shared ? std::max(one, std::min(n * one, std::max(all, one))) : std::max(n * one, all * n / cores);
  };
  if (figure.starts_with("bytes."))
    return with(figure);
  double best = 0;
  for (const char* isa : {"scalar", "sse", "avx2", "avx512"})
    best = std::max(best, with(figure + "." + isa));
  return best;
}

std::string level_of(double bytes, const peak_values& peaks, std::int64_t threads) {
  for (const char* level : levels) {
    double size = value(peaks, std::string{"size."} + level);
    if (level != std::string{"l3"})
      size *= static_cast<double>(threads); // each core has its own
    if (size > 0 && bytes <= size)
      return level;
  }
  return "dram";
}

workload_cost cost_of(const problem& what, const workload& w, const peak_values& peaks) {
  workload_cost c;
  auto formula = [&](const std::string& text) {
    auto x = text.empty() ? result<double>{0.0} : real_value(text, w.dims);
    return x && std::isfinite(*x) ? std::max(0.0, *x) : 0.0;
  };
  c.bytes = formula(what.bytes);
  c.flops = formula(what.flops);
  for (const auto& t : what.tensors) {
    double elements = 1;
    for (const auto& d : t.shape)
      if (auto n = integer_value(d, w.dims))
        elements *= static_cast<double>(std::max<std::int64_t>(0, *n));
    auto bytes = elements * static_cast<double>(bytes_of(t.dtype));
    c.tensor_bytes += bytes;
    if (t.role != tensor_role::out)
      c.input_bytes += bytes;
  }
  c.level = what.policy.cold_cache ? "dram" : level_of(c.tensor_bytes, peaks, threads_of(what, peaks));
  return c;
}

std::string rate_of_dtypes(const problem& what) {
  static constexpr const char* by_speed[] = {"i8", "bf16", "f32", "i32", "f64"};
  std::size_t fastest = std::size(by_speed) - 1;
  for (const auto& t : what.tensors) {
    std::size_t rank = 4;
    switch (t.dtype) {
    case dtype::i8:
    case dtype::u8:
    case dtype::boolean:
    case dtype::f8e4m3: // no unit for them is faster than one for bytes
    case dtype::f8e5m2:
      rank = 0;
      break;
    case dtype::bf16:
    case dtype::f16:
      rank = 1;
      break;
    case dtype::f32:
      rank = 2;
      break;
    case dtype::i32:
    case dtype::i64:
      rank = 3;
      break;
    case dtype::f64:
      break;
    }
    fastest = std::min(fastest, rank);
  }
  return std::string{"flops."} + by_speed[fastest];
}

std::optional<physical_floor> floor_of(const problem& what, const workload& w, const peak_values& peaks) {
  physical_floor f;
  f.cost = cost_of(what, w, peaks);
  auto threads = threads_of(what, peaks);
  bind_memory(f, what.policy.cold_cache, peaks, threads);
  auto figure = rate_of_dtypes(what);
  f.rate = peak_rate(peaks, figure, threads);
  if (figure != "flops.f64") // no faster unit for this dtype on this machine: the one of f32 does it
    f.rate = std::max(f.rate, peak_rate(peaks, "flops.f32", threads));
  if (f.cost.flops > 0 && f.rate > 0)
    f.compute_s = f.cost.flops * fewest_operations(what.family) / f.rate;
  f.by_memory = f.memory_s >= f.compute_s;
  f.seconds = std::max(f.memory_s, f.compute_s);
  if (!(f.seconds > 0) || !std::isfinite(f.seconds))
    return std::nullopt;
  return f;
}

std::vector<integrity_flag> below_floor(const problem& what, std::span<const launch_samples> samples,
                                        const peak_values& peaks) {
  std::vector<integrity_flag> flags;
  double trust = slack * (1 - std::clamp(value(peaks, "noise"), 0.0, 0.5));
  for (std::size_t i = 0; i < what.workloads.size(); ++i) {
    std::vector<double> candidate, baseline;
    for (const auto& s : samples)
      if (s.workload == i) {
        candidate.insert(candidate.end(), s.candidate_ns.begin(), s.candidate_ns.end());
        baseline.insert(baseline.end(), s.reference_ns.begin(), s.reference_ns.end());
      }
    auto floor = floor_of(what, what.workloads[i], peaks);
    if (!floor || candidate.empty() || baseline.empty())
      continue;
    double least = trust * floor->seconds, typical = median_of(candidate) * 1e-9;
    if (typical >= least || median_of(baseline) * 1e-9 < least)
      continue;
    flags.push_back(
        {"below_floor",
         "a call on workload " + what.workloads[i].name + " took " + microseconds(typical) + ", but " +
             (floor->by_memory
                  ? engineering(floor->moved, "B") + " can't move in less than " +
                        microseconds(floor->memory_s) + " at this machine's peak of " +
                        engineering(floor->bandwidth, "B/s") + " (" + floor->level + ")"
                  : engineering(floor->cost.flops, "operations") + " can't be done in less than " +
                        microseconds(floor->compute_s) + " at this machine's peak of " +
                        engineering(floor->rate, "operations/s"))});
  }
  return flags;
}

} // namespace ke
