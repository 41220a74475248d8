#include "runtime/records/suite_metrics.hpp"

#include "runtime/core/geometric_mean.hpp"
#include "runtime/text/csv_text.hpp"

#include <algorithm>

namespace ke {
namespace {

bool is_correct(const suite_cell& c) {
  return c.standing == suite_standing::judged && c.state == "correct";
}

} // namespace

suite_metrics metrics_of(const std::vector<suite_cell>& cells) {
  suite_metrics m;
  std::vector<const suite_cell*> correct;
  for (const auto& c : cells) {
    m.n += c.standing == suite_standing::judged;
    if (is_correct(c))
      correct.push_back(&c);
  }
  if (m.n == 0)
    return m;
  auto share = [&](std::size_t of) { return static_cast<double>(of) / static_cast<double>(m.n); };
  auto timed =
      std::all_of(correct.begin(), correct.end(), [](const auto* c) { return c->score.has_value(); });
  auto over = [&](double p) {
    return share(static_cast<std::size_t>(
        std::count_if(correct.begin(), correct.end(), [p](const auto* c) { return *c->score > p; })));
  };
  m.fast_0 = share(correct.size());
  if (!timed)
    return m;
  m.fast_1 = over(1);
  m.fast_2 = over(2);
  m.geomean = geometric_mean(correct, [](const auto* c) { return c->score; });
  return m;
}

std::map<std::string, std::size_t> totals_of(const std::vector<suite_cell>& cells) {
  std::map<std::string, std::size_t> totals{{"problems", cells.size()}, {"correct", 0}, {"faster", 0}};
  for (auto name : names_of<suite_standing>::value)
    totals[std::string{name}] = 0;
  for (const auto& c : cells) {
    ++totals[std::string{to_text(c.standing)}];
    totals["correct"] += is_correct(c);
    totals["faster"] += is_correct(c) && c.decision == timing_decision::faster;
  }
  return totals;
}

std::string csv_of(const std::vector<suite_cell>& cells) {
  std::string out = "problem,backend,baseline,standing,state,decision,score,speedup,ci95_low,ci95_high,claim,"
                    "candidates,device,campaign,note\r\n";
  for (const auto& c : cells) {
    for (const auto& text : {c.problem, c.backend, c.baseline, std::string{to_text(c.standing)}, c.state,
                             std::string{to_text(c.decision)}, csv_number(c.score), csv_number(c.speedup),
                             csv_number(c.low), csv_number(c.high), std::string{c.claimed ? "true" : "false"},
                             std::to_string(c.candidates), c.device, c.campaign})
      out += csv_cell(text) + ",";
    out += csv_cell(c.note) + "\r\n";
  }
  return out;
}

} // namespace ke
