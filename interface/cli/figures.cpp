#include "interface/cli/figures.hpp"

#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

namespace ke::cli {

std::string fixed(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

std::string speedup_text(double estimate, double low, double high) {
  return fixed(estimate, 2) + "x [" + fixed(low, 2) + ", " + fixed(high, 2) + "]";
}

std::string speedup_text(const std::optional<verdict>& v, std::optional<double> score) {
  if (v && v->timing)
    return speedup_text(v->timing->speedup, v->timing->low, v->timing->high);
  return score ? "score " + fixed(*score, 3) : "-";
}

std::string nanoseconds_text(double ns) {
  if (ns < 1e3)
    return fixed(ns, 0) + " ns";
  if (ns < 1e6)
    return fixed(ns / 1e3, 1) + " us";
  if (ns < 1e9)
    return fixed(ns / 1e6, 2) + " ms";
  return fixed(ns / 1e9, 2) + " s";
}

namespace {

std::string millijoules_text(double mj) {
  return mj < 1e3 ? fixed(mj, mj < 10 ? 2 : 1) + " mJ" : fixed(mj / 1e3, 2) + " J";
}

/// ", 6.1 mJ -> 4.2 mJ", or the candidate's alone; empty: not measured.
std::string energy_text(const workload_timing& w) {
  if (w.candidate_mj <= 0)
    return {};
  auto before = w.reference_mj > 0 ? millijoules_text(w.reference_mj) + " -> " : std::string{};
  return ", " + before + millijoules_text(w.candidate_mj);
}

} // namespace

std::string medians_text(const workload_timing& w) {
  return w.reference_ns > 0
             ? nanoseconds_text(w.reference_ns) + " -> " + nanoseconds_text(w.candidate_ns) + energy_text(w)
             : std::string{};
}

std::string medians_text(const timing_summary& t) {
  auto text = nanoseconds_text(t.reference_ns) + " -> " + nanoseconds_text(t.candidate_ns);
  std::vector<std::string> own;
  for (const auto& w : t.workloads)
    if (!w.held_out)
      own.push_back(w.name);
  if (!t.workloads.empty())
    text += energy_text(t.workloads.front());
  return own.size() < 2 ? text : text + " on " + own.front();
}

std::string finalist_lines(const verdict& v) {
  std::string lines;
  for (auto [key, words] : {std::pair{provenance_keys::checked_by, "  no fault found by "},
                            {provenance_keys::unchecked_by, "  not looked at by "}})
    if (auto by = v.provenance.find(key); by != v.provenance.end() && v.state == verdict_state::correct)
      lines += words + by->second + "\n";
  return lines;
}

std::string workload_lines(const timing_summary& t, const std::string& indent) {
  std::string lines;
  if (t.workloads.size() < 2)
    return lines;
  for (const auto& w : t.workloads) {
    auto medians = medians_text(w);
    lines += indent + w.name + ": " + speedup_text(w.speedup, w.low, w.high) +
             (medians.empty() ? "" : ", " + medians) + (w.held_out ? " (held out)" : "") + "\n";
  }
  return lines;
}

std::string duration_text(double s) {
  if (s < 60)
    return fixed(s, 1) + " s";
  auto whole = std::llround(s);
  if (whole < 3600)
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string usd_text(double usd) {
  return fixed(usd, usd > 0 && usd < 0.1 ? 4 : 2) + " USD";
}

std::string count_text(std::uint64_t n) {
  auto text = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string percent_text(double share) {
  return fixed(100 * share, 0) + "%";
}

std::string time_text(std::uint64_t unix_ms) {
  if (unix_ms == 0)
    return "-";
  auto t = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&t, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

std::string first_line(const std::string& text, std::size_t most) {
  auto line = text.substr(0, text.find('\n'));
  if (line.size() <= most)
    return line;
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80)
    --end; // never inside a character
  return line.substr(0, end) + "...";
}

std::string state_text(node_state state, timing_decision decision) {
  std::string text{to_text(state)};
  if (state == node_state::compiled) // no word that could be taken for a result
    text += ", not executed";
  if (decision != timing_decision::none)
    text += ", " + std::string{to_text(decision)};
  return text;
}

} // namespace ke::cli
