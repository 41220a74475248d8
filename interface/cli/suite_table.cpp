#include "interface/cli/suite_table.hpp"

#include "interface/cli/figures.hpp"
#include "interface/cli/json_values.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

json json_of(const suite_cell& c) {
  return {{"problem", c.problem},
          {"backend", c.backend},
          {"state", c.state},
          {"decision", text_or_null(to_text(c.decision))},
          {"score", number_or_null(c.score)},
          {"baseline", c.baseline},
          {"standing", to_text(c.standing)},
          {"speedup", number_or_null(c.speedup)},
          {"ci95", c.low && c.high ? json{*c.low, *c.high} : json(nullptr)},
          {"claim", c.claimed},
          {"candidates", c.candidates},
          {"device", text_or_null(c.device)},
          {"campaign", text_or_null(c.campaign)},
          {"note", text_or_null(c.note)},
          {"environment", c.environment}};
}

json json_of(const suite_metrics& m) {
  return {{"fast_0", number_or_null(m.fast_0)},
          {"fast_1", number_or_null(m.fast_1)},
          {"fast_2", number_or_null(m.fast_2)},
          {"geomean", number_or_null(m.geomean)},
          {"n", m.n}};
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string figures_of(const suite_cell& c) {
  std::string text = c.state;
  if (c.decision != timing_decision::none)
    text += ", " + std::string{to_text(c.decision)};
  if (c.speedup && c.low && c.high)
    text += ", " + speedup_text(*c.speedup, *c.low, *c.high);
  return text + (c.claimed ? ", claimed" : "");
}

std::string share_text(const std::optional<double>& share, std::size_t n) {
  if (!share)
    return "-";
  auto hits = std::llround(*share * static_cast<double>(n));
  return percent_text(*share) + " (" + std::to_string(hits) + " of " + std::to_string(n) + ")";
}

std::string totals_text(const suite_column& column) {
  auto totals = totals_of(column.cells);
  std::string text = std::to_string(totals["problems"]) + " problems: " + std::to_string(totals["judged"]) +
                     " judged, " + std::to_string(totals["correct"]) + " of them correct, " +
                     std::to_string(totals["faster"]) + " faster";
  for (auto name : {"unfit", "refused", "broken", "pending"})
    if (totals[name] > 0)
      text += "; " + std::to_string(totals[name]) + " " + name;
  return text;
}

std::string column_text(const suite_column& column) {
  auto m = metrics_of(column.cells);
  return column.backend + " over " + column.baseline + "\n  " + totals_text(column) + "\n  fast_0 " +
         share_text(m.fast_0, m.n) + ", fast_1 " + share_text(m.fast_1, m.n) + ", fast_2 " +
         share_text(m.fast_2, m.n) + ", geometric mean " + (m.geomean ? fixed(*m.geomean, 2) + "x" : "-") +
         " (by lower bounds; unfit, refused and broken ones are not counted)\n";
}

} // namespace

std::vector<suite_column> columns_of(const std::vector<suite_cell>& cells) {
  std::vector<suite_column> columns;
  for (const auto& c : cells) {
    auto same = [&](const suite_column& x) { return x.backend == c.backend && x.baseline == c.baseline; };
    auto at = std::find_if(columns.begin(), columns.end(), same);
    if (at == columns.end())
      at = columns.insert(columns.end(), {c.backend, c.baseline, {}});
    at->cells.push_back(c);
  }
  return columns;
}

std::string cell_line(const suite_cell& c) {
  auto text = c.problem + " on " + c.backend + ": " + figures_of(c);
  if (c.standing == suite_standing::judged && c.speedup)
    text += " over " + (c.baseline == "reference" ? "the reference" : c.baseline);
  return text + (c.note.empty() ? "" : "; " + first_line(c.note, 300));
}

std::string suite_text(const std::string& suite, const std::vector<suite_cell>& cells) {
  std::size_t widest = 0;
  for (const auto& c : cells)
    widest = std::max(widest, c.problem.size());
  std::string text = suite + "\n";
  auto columns = columns_of(cells);
  for (const auto& column : columns) {
    if (columns.size() > 1)
      text += column.backend + " over " + column.baseline + "\n";
    for (const auto& c : column.cells)
      text += "  " + padded(c.problem, widest) + "  " + padded(std::string{to_text(c.standing)}, 8) +
              figures_of(c) + (c.note.empty() ? "" : "; " + first_line(c.note, 120)) + "\n";
  }
  for (const auto& column : columns)
    text += column_text(column);
  return text;
}

std::string suite_json(const std::string& suite, const std::vector<suite_cell>& cells) {
  json document = {
      {"suite", suite}, {"cells", json::array()}, {"totals", json::object()}, {"metrics", nullptr}};
  for (const auto& c : cells)
    document["cells"].push_back(json_of(c));
  auto all = json::array();
  for (const auto& column : columns_of(cells))
    all.push_back({{"backend", column.backend},
                   {"baseline", column.baseline},
                   {"totals", totals_of(column.cells)},
                   {"metrics", json_of(metrics_of(column.cells))}});
  document["totals"] = all.empty() ? json(totals_of({})) : all.front()["totals"];
  document["metrics"] = all.empty() ? json_of(metrics_of({})) : all.front()["metrics"];
  document["columns"] = std::move(all);
  return json_line(document);
}

} // namespace ke::cli
