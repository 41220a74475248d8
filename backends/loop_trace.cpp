#include "backends/loop_trace.hpp"

#include "runtime/core/trace.hpp"

#include <chrono>
#include <cmath>
#include <sstream>

namespace ke {

std::vector<loop_stretch> loop_stretches(const evidence& found) {
  constexpr std::size_t most = 4096;
  std::vector<loop_stretch> all;
  auto text = found.findings.find("trace");
  if (text == found.findings.end())
    return all;
  // The time stamp counter's frequency is near the clock's; a trace of one call needs no more.
  auto clock = found.counters.find("peak.clock");
  double per_us = clock == found.counters.end() || clock->second <= 0 ? 1e3 : clock->second * 1e-6;
  std::istringstream in{text->second};
  loop_stretch s;
  for (double begin = 0, length = 0; all.size() < most && in >> s.loop >> begin >> length;) {
    if (!std::isfinite(begin) || !std::isfinite(length) || begin < 0 || length < 0)
      break;
    s.begin_us = begin / per_us;
    s.us = length / per_us;
    all.push_back(s);
  }
  return all;
}

void trace_loops(const evidence& found) {
  if (!trace::on())
    return;
  auto start = std::chrono::steady_clock::now();
  auto at = [&](double us) { return start + std::chrono::nanoseconds{static_cast<std::int64_t>(us * 1e3)}; };
  for (const auto& s : loop_stretches(found))
    trace::span("kernel loops", s.loop, at(s.begin_us), at(s.begin_us + s.us));
}

} // namespace ke
