#include "knowledge/prompt/machine_peaks.hpp"

#include "runtime/core/device_info.hpp"
#include "runtime/core/dtype.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace ke {
namespace {

constexpr const char* levels[] = {"l1", "l2", "l3", "dram"};

class peak_facts {
public:
  explicit peak_facts(const device_info& target) : facts_{target.facts} {}
  /// 0: unknown.
  double of(const std::string& key) const {
    auto f = facts_.find(device_facts::peak_of + key);
    return f == facts_.end() ? 0 : std::strtod(f->second.c_str(), nullptr);
  }
  /// "100 GB/s by one core, 190 by all 2"
  std::string rate(const std::string& key, const char* unit) const {
    auto one = of(key + ".1"), all = of(key + ".all");
    if (one <= 0 && all <= 0)
      return {};
    auto cores = static_cast<int>(of("threads"));
    auto by_all = " by all" + (cores > 1 ? " " + std::to_string(cores) : std::string{});
    if (one <= 0 || cores == 1)
      return two_digits(std::max(one, all) / 1e9) + " " + unit + (one > 0 ? "" : by_all);
    return two_digits(one / 1e9) + " " + unit + " by one core" +
           (all > 0 ? ", " + two_digits(all / 1e9) + by_all : std::string{});
  }

  static std::string two_digits(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", x);
    std::snprintf(text, sizeof text, "%.6g", std::strtod(text, nullptr));
    return text;
  }

private:
  const std::map<std::string, std::string>& facts_;
};

std::string arithmetic(const peak_facts& peaks, const std::string& dtype) {
  for (const std::string isa : {"avx512", "avx2", "sse", "scalar"})
    if (auto rate = peaks.rate("flops." + dtype + "." + isa, "GFLOP/s"); !rate.empty())
      return "- arithmetic in " + dtype + " (" + isa + "): " + rate + "\n";
  return {};
}

} // namespace

std::string peak_lines(const device_info& target, const problem& what) {
  const peak_facts peaks{target};
  std::string text;
  if (auto clock = peaks.of("clock"); clock > 0)
    text += "- clock: " + peak_facts::two_digits(clock / 1e9) + " GHz\n";
  for (const std::string level : levels)
    if (auto rate = peaks.rate("bytes." + level, "GB/s"); !rate.empty()) {
      auto latency = peaks.of("latency." + level);
      text += "- " + level + ", read and written: " + rate +
              (latency > 0 ? "; " + peak_facts::two_digits(latency * 1e9) + " ns to a dependent load"
                           : std::string{}) +
              "\n";
    }
  std::set<std::string> dtypes{"f32"};
  for (const auto& t : what.tensors)
    if (is_floating(t.dtype))
      dtypes.insert(std::string{to_text(t.dtype)});
  for (const auto& dtype : dtypes)
    text += arithmetic(peaks, dtype);
  return text;
}

} // namespace ke
