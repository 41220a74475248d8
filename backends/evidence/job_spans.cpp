#include "backends/evidence/job_spans.hpp"

#include "backends/evidence/call_trace.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ke {

std::vector<std::size_t> rows_of(const std::vector<job_span>& spans) {
  std::vector<std::size_t> order(spans.size()), rows(spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple{spans[a].begin_us, spans[b].us, a} < std::tuple{spans[b].begin_us, spans[a].us, b};
  });
  std::vector<std::vector<std::uint64_t>> open; // per row: ends of the spans that the last one lies in
  for (auto i : order) {
    auto begin = spans[i].begin_us, end = begin + spans[i].us;
    std::size_t row = 0;
    for (; row < open.size(); ++row) {
      auto& ends = open[row];
      while (!ends.empty() && ends.back() <= begin)
        ends.pop_back();
      if (ends.empty() || end <= ends.back())
        break;
    }
    if (row == open.size())
      open.emplace_back();
    open[row].push_back(end);
    rows[i] = row;
  }
  return rows;
}

std::size_t trace_job(const job& what, const std::string& worker, trace::time_point queued,
                      trace::time_point granted, trace::time_point now, const job_result& result,
                      std::size_t most) {
  if (!trace::on())
    return 0;
  auto node = std::to_string(what.node.tree) + "." + std::to_string(what.node.node);
  auto lane = "job of node " + node;
  trace::span(lane, "wait for a worker", queued, granted);
  trace::span(lane, "at " + worker, granted, now);
  auto rows = rows_of(result.spans);
  // The worker's clock: laid from the grant on, never past the result.
  auto at = [&](std::uint64_t us) { return std::min(now, granted + std::chrono::microseconds{us}); };
  double call_us = 0;
  for (const auto& s : call_spans(result.found))
    call_us = std::max(call_us, s.begin_us + s.us);
  // Where the call was seen: at the end of the measurement, or where a job of its own began with it.
  auto seen = granted;
  for (std::size_t i = 0; i < result.spans.size(); ++i) {
    const auto& span = result.spans[i];
    trace::span(rows[i] == 0 ? lane : lane + ", beside " + std::to_string(rows[i]), span.name,
                at(span.begin_us), at(span.begin_us + span.us));
    if (span.name.starts_with("trace "))
      seen = at(span.begin_us);
    else if (span.name.starts_with("measure "))
      seen = std::max(granted, at(span.begin_us + span.us) -
                                   std::chrono::microseconds{static_cast<std::int64_t>(call_us)});
  }
  auto args = "{\"node\":\"" + node + "\",\"plan\":\"" + std::string{to_text(what.plan)} + "\"}";
  return trace_call(result.found, "call of node " + node, seen, args, most);
}

} // namespace ke
