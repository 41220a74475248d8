#include "interface/cli/report_effort.hpp"

#include <algorithm>
#include <tuple>

namespace ke::cli {

std::map<std::string, model_effort> efforts_of(std::vector<model_answer> answers, double target) {
  std::sort(answers.begin(), answers.end(),
            [](const auto& a, const auto& b) { return std::tie(a.ms, a.node) < std::tie(b.ms, b.node); });
  std::map<std::string, model_effort> by_model;
  std::map<std::string, double> best;
  for (const auto& a : answers)
    for (const auto& name : {a.model, std::string{}}) {
      auto& m = by_model[name];
      ++m.all.steps;
      m.all.tokens += a.tokens;
      m.all.usd += a.usd;
      if (!a.correct)
        continue;
      if (!m.first_correct)
        m.first_correct = m.all;
      if (!m.best || a.score > best[name]) {
        m.best = m.all;
        best[name] = a.score;
      }
      if (target > 0 && a.score >= target && !m.target)
        m.target = m.all;
    }
  return by_model;
}

} // namespace ke::cli
