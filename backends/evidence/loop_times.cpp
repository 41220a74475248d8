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

/// Takes the rows that a kernel with ticks has printed: a candidate's text.
class tick_reader {
public:
  void add(const char* row) {
    unsigned long long a = 0, b = 0, c = 0;
    int line = 0, depth = 0;
    char function[81] = {};
    if (std::sscanf(row, "at %llu %d %d %80s", &a, &line, &depth, function) == 4) {
      if (loops_.size() < most_loops && a < most_loops && line >= 0 && depth > 0 && is_plain_name(function))
        loops_.try_emplace(a, ticked_loop{static_cast<int>(a), function, line, depth});
    } else if (std::sscanf(row, "clock %llu %llu", &a, &b) == 2) {
      ns_per_cycle_ = a > 0 ? static_cast<double>(b) / static_cast<double>(a) : 0;
    } else if (std::sscanf(row, "least %llu", &a) == 1) {
      least_ = static_cast<double>(a);
    } else if (std::sscanf(row, "loop %llu %llu %llu", &a, &b, &c) == 3) {
      add_loop(a, static_cast<double>(b), static_cast<double>(c));
    } else if (std::sscanf(row, "tick %llu %llu", &a, &b) == 2 && ns_per_cycle_ > 0 && loops_.contains(a) &&
               !ended_) {
      last_lasts_until(static_cast<double>(b));
      found_.spans.push_back({loops_[a], static_cast<double>(b) * ns_per_cycle_, 0});
    } else if (std::sscanf(row, "end %llu", &a) == 1) {
      last_lasts_until(static_cast<double>(a));
      ended_ = true;
    }
  }

  loop_profile take() {
    if (!found_.spans.empty() && !ended_)
      found_.spans.pop_back(); // its end was not seen
    for (auto& t : found_.loops)
      t.share = found_.cycles > 0 ? t.cycles / found_.cycles : 0;
    std::sort(found_.loops.begin(), found_.loops.end(),
              [](const loop_time& a, const loop_time& b) { return a.cycles > b.cycles; });
    return std::move(found_);
  }

private:
  void add_loop(unsigned long long number, double turns, double cycles) {
    if (!loops_.contains(number) || cycles > longest_cycles || found_.loops.size() == most_loops)
      return;
    loop_time t;
    t.loop = loops_[number];
    t.turns = turns;
    t.cycles = std::max(0.0, cycles - least_ * turns);
    found_.cycles += t.cycles;
    found_.loops.push_back(std::move(t));
  }

  void last_lasts_until(double cycles) {
    if (!found_.spans.empty() && !ended_)
      found_.spans.back().ns = std::max(0.0, cycles * ns_per_cycle_ - found_.spans.back().begin_ns);
  }

  loop_profile found_;
  std::map<unsigned long long, ticked_loop> loops_;
  double least_ = 0, ns_per_cycle_ = 0;
  bool ended_ = false;
};

} // namespace

loop_profile read_ticks(std::string_view text) {
  auto start = text.rfind("ke-ticks 2\n");
  if (start == std::string_view::npos)
    return {};
  text.remove_prefix(start);
  tick_reader reader;
  for (std::size_t lines = 0; !text.empty() && lines < most_lines; ++lines) {
    std::string row{text.substr(0, std::min<std::size_t>(text.find('\n'), 200))};
    text.remove_prefix(std::min(text.size(), std::min(text.find('\n'), text.size()) + 1));
    reader.add(row.c_str());
  }
  return reader.take();
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
