#include "backends/evidence/loop_times.hpp"

#include "backends/evidence/call_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace ke {
namespace {

constexpr std::size_t most_lines = 6000, most_loops = 256;
constexpr double longest_cycles = 1e14;

} // namespace

loop_profile read_ticks(std::string_view text) {
  loop_profile found;
  auto start = text.rfind("ke-ticks 2\n");
  if (start == std::string_view::npos)
    return found;
  text.remove_prefix(start);
  std::map<unsigned long long, ticked_loop> loops;
  double least = 0, ns_per_cycle = 0;
  bool ended = false;
  auto until = [&](double cycles) {
    if (!found.spans.empty() && !ended)
      found.spans.back().ns = std::max(0.0, cycles * ns_per_cycle - found.spans.back().begin_ns);
  };
  for (std::size_t lines = 0; !text.empty() && lines < most_lines; ++lines) {
    std::string row{text.substr(0, std::min<std::size_t>(text.find('\n'), 200))};
    text.remove_prefix(std::min(text.size(), std::min(text.find('\n'), text.size()) + 1));
    unsigned long long a = 0, b = 0, c = 0;
    int line = 0, depth = 0;
    char function[81] = {};
    if (std::sscanf(row.c_str(), "at %llu %d %d %80s", &a, &line, &depth, function) == 4) {
      if (loops.size() < most_loops && a < most_loops && line >= 0 && depth > 0 && is_plain_name(function))
        loops.try_emplace(a, ticked_loop{static_cast<int>(a), function, line, depth});
    } else if (std::sscanf(row.c_str(), "clock %llu %llu", &a, &b) == 2) {
      ns_per_cycle = a > 0 ? static_cast<double>(b) / static_cast<double>(a) : 0;
    } else if (std::sscanf(row.c_str(), "least %llu", &a) == 1) {
      least = static_cast<double>(a);
    } else if (std::sscanf(row.c_str(), "loop %llu %llu %llu", &a, &b, &c) == 3) {
      if (!loops.contains(a) || static_cast<double>(c) > longest_cycles || found.loops.size() == most_loops)
        continue;
      loop_time t;
      t.loop = loops[a];
      t.turns = static_cast<double>(b);
      t.cycles = std::max(0.0, static_cast<double>(c) - least * t.turns);
      found.cycles += t.cycles;
      found.loops.push_back(std::move(t));
    } else if (std::sscanf(row.c_str(), "tick %llu %llu", &a, &b) == 2 && ns_per_cycle > 0 &&
               loops.contains(a) && !ended) {
      until(static_cast<double>(b));
      found.spans.push_back({loops[a], static_cast<double>(b) * ns_per_cycle, 0});
    } else if (std::sscanf(row.c_str(), "end %llu", &a) == 1) {
      until(static_cast<double>(a));
      ended = true;
    }
  }
  if (!found.spans.empty() && !ended)
    found.spans.pop_back(); // its end was not seen
  for (auto& t : found.loops)
    t.share = found.cycles > 0 ? t.cycles / found.cycles : 0;
  std::sort(found.loops.begin(), found.loops.end(),
            [](const loop_time& a, const loop_time& b) { return a.cycles > b.cycles; });
  return found;
}

profile_result shares_of(const loop_profile& profile) {
  if (profile.loops.empty())
    return {};
  const auto& first = profile.loops.front();
  return {{{"loop.share", first.share}, {"loop.line", first.loop.line}, {"loop.turns", first.turns}},
          {{"loops", describe_loops(profile, 5)}}};
}

std::string trace_text(const loop_profile& profile) {
  call_trace_text text;
  for (const auto& s : profile.spans) {
    const auto& l = s.loop;
    text.add(l.line ? "line:" + std::to_string(l.line)
                    : l.function.substr(0, 60) + ":" + std::to_string(l.id),
             s.begin_ns, s.ns);
  }
  return text.take();
}

std::string describe_loops(const loop_profile& profile, std::size_t most) {
  std::string text;
  for (const auto& t : profile.loops) {
    if (most-- == 0)
      break;
    char line[200];
    std::snprintf(
        line, sizeof line, "%s%s (depth %d): %.0f%% of the time, %.6g turns of %.3g cycles",
        text.empty() ? "" : "\n",
        (t.loop.line ? "line " + std::to_string(t.loop.line) : "a loop of " + t.loop.function.substr(0, 60))
            .c_str(),
        t.loop.depth, 100 * t.share, t.turns, t.turns > 0 ? t.cycles / t.turns : 0);
    text += line;
  }
  return text;
}

} // namespace ke
