#include "backends/peaks/peaks.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ke {
namespace {

constexpr std::string_view header = "ke-peaks 1";
constexpr std::string_view fact_prefix = "peak.";
constexpr std::size_t file_limit = 64u << 10;

bool less_is_better(std::string_view key) {
  return key.starts_with("latency.") || key == "noise";
}

std::string text_of(double x) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 6).ptr;
  return {text, end};
}

bool number(std::string_view text, double& into) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(into) && into >= 0;
}

} // namespace

peak_map better_peaks(const peak_map& a, const peak_map& b) {
  auto best = a;
  for (const auto& [key, value] : b) {
    auto [at, fresh] = best.emplace(key, value);
    if (!fresh)
      at->second = less_is_better(key) ? std::min(at->second, value) : std::max(at->second, value);
  }
  return best;
}

std::string peaks_text(const peak_map& peaks) {
  std::string text{header};
  text += '\n';
  for (const auto& [key, value] : peaks)
    text += key + ' ' + text_of(value) + '\n';
  return text;
}

result<peak_map> parse_peaks(std::string_view text) {
  std::istringstream in{std::string{text}};
  std::string line;
  if (!std::getline(in, line) || line != header)
    return failure{failure_kind::invalid, "the peaks do not begin with \"" + std::string{header} + "\""};
  peak_map peaks;
  for (int row = 2; std::getline(in, line); ++row) {
    auto space = line.find(' ');
    double value = 0;
    if (space == std::string::npos || space == 0 || !number(std::string_view{line}.substr(space + 1), value))
      return failure{failure_kind::invalid,
                     "line " + std::to_string(row) + " of the peaks is not a name and a number"};
    peaks[line.substr(0, space)] = value;
  }
  return peaks;
}

std::filesystem::path peaks_file(const std::filesystem::path& folder, const device_info& cpu) {
  auto fact = [&](const char* key) {
    auto at = cpu.facts.find(key);
    return at == cpu.facts.end() ? std::string{} : at->second;
  };
  auto id = digest_of_parts({"peaks 1", fact(device_facts::model), fact(device_facts::isa),
                             fact(device_facts::cores), fact(device_facts::l1d), fact(device_facts::l2),
                             fact(device_facts::l3)});
  return folder / ("peaks-" + id.substr(0, 16) + ".txt");
}

peak_map peaks_of_machine(const std::filesystem::path& folder, const device_info& cpu, bool again) {
  peak_map kept;
  auto file = peaks_file(folder, cpu);
  if (!folder.empty()) {
    std::ifstream in{file, std::ios::binary};
    std::string text(file_limit, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    if (auto parsed = parse_peaks(text))
      kept = *std::move(parsed);
    if (!kept.empty() && !again)
      return kept;
  }
  auto best = better_peaks(kept, measure_peaks(cpu));
  if (folder.empty() || best.empty())
    return best;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  auto fresh = folder / ("peaks-" + std::to_string(getpid()) + ".ke-tmp");
  {
    std::ofstream out{fresh, std::ios::binary};
    out << peaks_text(best);
    out.flush();
    if (!out)
      error = std::make_error_code(std::errc::io_error);
  }
  if (!error)
    std::filesystem::rename(fresh, file, error);
  if (error) // they are measured again next time
    std::filesystem::remove(fresh, error);
  return best;
}

std::vector<std::pair<std::string, std::string>> describe_peaks(const peak_map& peaks) {
  std::vector<std::pair<std::string, std::string>> lines;
  auto value = [&](const std::string& key) {
    auto at = peaks.find(key);
    return at == peaks.end() ? 0 : at->second;
  };
  auto figure = [](double x, const char* unit) {
    char text[48];
    std::snprintf(text, sizeof text, x < 10 ? "%.2f %s" : x < 100 ? "%.1f %s" : "%.0f %s", x, unit);
    return std::string{text};
  };
  auto cores = static_cast<int>(value("threads"));
  auto all = "on " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  if (value("clock") > 0) {
    auto noise = static_cast<int>(std::lround(100 * value("noise")));
    lines.emplace_back("clock", figure(value("clock") / 1e9, "GHz") + ", samples within " +
                                    std::to_string(noise) + "% of the best");
  }
  for (std::string level : {"l1", "l2", "l3", "dram"})
    if (auto one = value("bytes." + level + ".1"); one > 0)
      lines.emplace_back(level, figure(one / 1e9, "GB/s") + " by one thread, " +
                                    figure(value("bytes." + level + ".all") / 1e9, "GB/s") + " " + all +
                                    ", latency " + figure(value("latency." + level) * 1e9, "ns"));
  for (std::string dtype : {"f32", "f64", "bf16", "i32", "i8"}) {
    std::string one;
    double most = 0;
    for (std::string isa : {"scalar", "sse", "avx2", "avx512"})
      if (auto rate = value("flops." + dtype + "." + isa + ".1"); rate > 0) {
        one += (one.empty() ? "" : ", ") + isa + " " + figure(rate / 1e9, "");
        one.pop_back();
        most = std::max(most, value("flops." + dtype + "." + isa + ".all"));
      }
    if (!one.empty())
      lines.emplace_back(dtype, one + (dtype[0] == 'i' ? " Gop/s" : " GFLOP/s") + " by one thread, at most " +
                                    figure(most / 1e9, dtype[0] == 'i' ? "Gop/s " : "GFLOP/s ") + all);
  }
  return lines;
}

std::filesystem::path user_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::filesystem::path{cache} / "ke-runtime";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::filesystem::path{home} / ".cache" / "ke-runtime";
  return {};
}

void announce_peaks(const peak_map& peaks, device_info& device) {
  for (const auto& [key, value] : peaks)
    device.facts[std::string{fact_prefix} + key] = text_of(value);
}

peak_map announced_peaks(const device_info& device) {
  peak_map peaks;
  for (const auto& [key, text] : device.facts) {
    double value = 0;
    if (key.starts_with(fact_prefix) && number(text, value))
      peaks[key.substr(fact_prefix.size())] = value;
  }
  return peaks;
}

} // namespace ke
