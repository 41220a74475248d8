#include "interface/cli/report_html.hpp"

#include "interface/cli/claim_text.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/html_text.hpp"
#include "interface/cli/report_plot.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/text/filled_text.hpp"

#include <algorithm>

namespace ke::cli {
namespace {

constexpr std::size_t most_source = 200'000;
constexpr std::size_t deepest = 40; ///< browsers limit how deep elements may be nested

/// ", of which estimated: ..."; empty if every provider told all.
std::string estimated_text(const campaign_row& row) {
  auto tokens = row.estimated.input_tokens + row.estimated.output_tokens;
  return tokens == 0
             ? std::string{}
             : "; of which estimated: " + count_text(tokens) + " tokens, " + usd_text(row.estimated.usd);
}

std::string table_cell(const std::string& text, bool number = false) {
  return (number ? "<td class=\"n\">" : "<td>") + html_text(text) + "</td>";
}
std::string head(const std::string& text, bool number = false) {
  return (number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">") + html_text(text) + "</th>";
}
std::string card(const std::string& value, const std::string& name) {
  return "<div class=\"card\"><b>" + html_text(value) + "</b><span>" + html_text(name) + "</span></div>\n";
}
std::string seconds_text(std::uint64_t ms) {
  return duration_text(static_cast<double>(ms) / 1000);
}
std::string tokens_text(const cost_share& c) {
  return count_text(c.input_tokens) + " in, " + count_text(c.output_tokens) + " out";
}

std::string step_text(const report_step& s) {
  return s.timed ? speedup_text(s.speedup, s.low, s.high) : "correct, not timed";
}

std::string summary_of(const report_facts& f) {
  std::string out = "<div class=\"cards\">\n";
  if (f.steps.empty())
    out +=
        card("none", f.compiled > 0 ? count_text(f.compiled) + " compiled, not executed: nothing is known of "
                                                               "their results or times"
                                    : "no candidate was correct");
  else
    out += card(step_text(f.steps.back()),
                std::string{f.steps.back().won.proven
                                ? "best speedup " + over_text(f.best ? f.best->found : std::nullopt)
                                : "best candidate, not proven faster"} +
                    " (95% interval), node " + std::to_string(f.steps.back().won.node) +
                    (f.below.empty() ? "" : "; no claim: " + f.below) +
                    (f.second.empty() ? "" : "; " + f.second));
  out += card(f.row.state + (f.row.stop_reason.empty() ? "" : ": " + f.row.stop_reason),
              "state after " + seconds_text(f.row.wall_ms) + " of campaign time");
  out += card(count_text(f.judged) + " of " + count_text(f.all.nodes),
              "candidates have a verdict; " + count_text(f.all.correct) + " are correct" +
                  (f.row.tuned
                       ? "; " + count_text(f.row.tuned) + " are points of templates, tried without a model"
                       : ""));
  out += card(f.first_correct_ms ? seconds_text(*f.first_correct_ms) : "-", "to the first correct kernel");
  out += card(f.best_ms ? seconds_text(*f.best_ms) : "-", "to the best kernel");
  out += card(usd_text(f.row.spend.usd),
              count_text(f.row.requests) + " requests, " + count_text(f.row.spend.input_tokens) +
                  " tokens in, " + count_text(f.row.spend.output_tokens) + " out" + estimated_text(f.row));
  out += card(fixed(f.row.device_s, 1) + " device-s",
              f.judged ? fixed(f.row.device_s / static_cast<double>(f.judged), 2) +
                             " device-s per kernel with a verdict"
                       : "no kernel measured");
  return out + "</div>\n";
}

std::string plots_of(const report_facts& f) {
  if (f.dots.empty())
    return "<p class=\"soft\">Nothing has been measured yet.</p>\n";
  return filled_text(report_plots, {{"over_time", speedup_plot(f, plot_axis::time)},
                                    {"over_candidates", speedup_plot(f, plot_axis::candidates)}});
}

std::string steps_of(const report_facts& f) {
  if (f.steps.empty())
    return "";
  std::string out = "<h3>How the best came about</h3>\n<div class=\"wide\"><table><thead><tr>" +
                    head("node", true) + head("speedup (95% interval)") + head("after") +
                    head("candidates", true) + "</tr></thead><tbody>\n";
  for (const auto& s : f.steps)
    out += "<tr>" + table_cell(std::to_string(s.won.node), true) + table_cell(step_text(s)) +
           table_cell(seconds_text(s.won.judged_ms)) + table_cell(count_text(s.won.candidates), true) +
           "</tr>\n";
  return out + "</tbody></table></div>\n";
}

std::string diagnosis_row(const report_node& n, const std::string& name) {
  std::string what = "not diagnosed";
  if (n.view.is_root())
    what = "the reference; not diagnosed";
  else if (n.found && n.found->diagnosis) {
    const auto& d = *n.found->diagnosis;
    what = d.bottleneck + " (confidence " + percent_text(d.confidence) +
           (d.roofline_fraction ? ", " + percent_text(*d.roofline_fraction) + " of the roofline" : "") + ")";
    for (const auto& [key, value] : d.evidence)
      what += ", " + key + " " + value;
  }
  return "<tr>" + table_cell(name) + table_cell(std::to_string(n.view.id), true) +
         table_cell(n.view.is_root() ? "1x (the reference)" : speedup_text(n.found, n.view.score)) +
         table_cell(what) + "</tr>\n";
}

std::string shapes_of(const report_facts& f) {
  auto lines = shape_lines(f.shapes, "");
  return lines.empty() ? ""
                       : "<h3>The best single kernel on each workload</h3>\n<pre tabindex=\"0\">" +
                             html_text(lines) + "</pre>\n";
}

std::string workload_row(const std::string& name, double speedup, double low, double high,
                         const std::string& medians) {
  return "<tr>" + table_cell(name) + table_cell(fixed(speedup, 3) + "x", true) +
         table_cell("[" + fixed(low, 3) + ", " + fixed(high, 3) + "]", true) + table_cell(medians, true) +
         "</tr>";
}

std::string timing_of(const timing_summary& t, bool claimed) {
  std::string rows;
  for (const auto& w : t.workloads)
    rows +=
        workload_row(w.name + (w.held_out ? " (held out)" : ""), w.speedup, w.low, w.high, medians_text(w)) +
        "\n";
  rows += workload_row("geometric mean", t.speedup, t.low, t.high, "");
  return filled_text(
      report_timing,
      {{"plot", workload_plot(t)},
       {"workloads", rows},
       {"median", html_text(medians_text(t))},
       {"pairs", count_text(static_cast<std::uint64_t>(t.pairs))},
       {"launches", count_text(static_cast<std::uint64_t>(t.launches))},
       {"floor", html_text(nanoseconds_text(t.floor_ns))},
       {"aa", html_text(fixed(100 * t.aa_width, 1))},
       {"measured", claimed ? "Measured again for the claim: fresh inputs and processes; held-out workloads "
                              "are listed and no part of the mean."
                            : "This is the search's own measurement, not yet measured again for a claim."}});
}

std::string best_of(const report_facts& f) {
  if (!f.best)
    return "";
  std::string out;
  if (f.best->found && f.best->found->timing)
    out += timing_of(*f.best->found->timing, f.claimed);
  if (!f.dispatcher.empty())
    out += "<p>The best is a " + html_text(f.dispatcher) + ".</p>\n";
  out += shapes_of(f);
  out += "<h3>Bottleneck</h3>\n<div class=\"wide\"><table><thead><tr>" + head("") + head("node", true) +
         head("speedup (95% interval)") + head("bottleneck") + "</tr></thead><tbody>\n" +
         diagnosis_row(*f.best, "best") + (f.parent ? diagnosis_row(*f.parent, "its parent") : "") +
         "</tbody></table></div>\n";
  if (!f.best->report.empty())
    out += "<h3>In short</h3>\n<pre tabindex=\"0\">" + html_text(f.best->report) + "</pre>\n";
  return out +
         filled_text(report_code, {{"node", std::to_string(f.best->view.id)},
                                   {"best", html_text(f.best->source.substr(0, most_source))},
                                   {"reference", html_text(f.problem.reference.substr(0, most_source))}});
}

void add_tree_node(const report_facts& f, std::uint32_t index, std::size_t depth, std::string& out) {
  const auto& n = f.tree[index];
  bool root = n.model.empty() && depth == 0;
  std::string label = std::to_string(n.id) + " " + (root ? "reference" : state_text(n.state, n.decision)) +
                      (n.score ? ", score " + fixed(*n.score, 3) : "");
  auto text = "<span class=\"" +
              std::string{n.to_winner                      ? "way"
                          : n.state == node_state::correct ? "good"
                                                           : "soft"} +
              "\">" + html_text(label) + "</span>";
  if (!n.note.empty())
    text += " <span class=\"soft\">" + html_text(first_line(n.note, 90)) + "</span>";
  if (n.children.empty() && n.hidden == 0) {
    out += "<li>" + text + "</li>\n";
    return;
  }
  auto rest =
      n.hidden ? "<li class=\"soft\">" + count_text(n.hidden) + " more children, left out here</li>\n" : "";
  if (depth >= deepest) { // nested no further
    out += "<li>" + text + "</li>\n" + rest;
    for (auto child : n.children)
      add_tree_node(f, child, depth, out);
    return;
  }
  out += "<li><details" + std::string{n.to_winner || depth == 0 ? " open" : ""} + "><summary>" + text +
         "</summary><ul>\n";
  for (auto child : n.children)
    add_tree_node(f, child, depth + 1, out);
  out += rest + "</ul></details></li>\n";
}

std::string tree_of(const report_facts& f) {
  std::string out = "<h3>Tree</h3>\n<p class=\"soft\">" + count_text(f.tree_size) +
                    " candidates; bold leads to the best." +
                    (f.tree.size() < f.tree_size ? " The best ones and the ways to them are shown." : "") +
                    "</p>\n<ul class=\"tree\">\n";
  std::vector<bool> is_child(f.tree.size());
  for (const auto& n : f.tree)
    for (auto c : n.children)
      is_child[c] = true;
  for (std::uint32_t i = 0; i < f.tree.size(); ++i)
    if (!is_child[i])
      add_tree_node(f, i, 0, out);
  return out + "</ul>\n";
}

std::string shares_of(const std::string& title, const std::string& what,
                      const std::map<std::string, cost_share>& shares, double usd) {
  std::string out = "<h3>" + html_text(title) + "</h3>\n<div class=\"wide\"><table><thead><tr>" + head(what) +
                    head("nodes", true) + head("correct", true) + head("tokens", true) + head("USD", true) +
                    head("share", true) + head("device-s", true) + head("best score", true) +
                    "</tr></thead><tbody>\n";
  for (const auto& [name, c] : shares)
    out += "<tr>" + table_cell(name.empty() ? "-" : name) + table_cell(count_text(c.nodes), true) +
           table_cell(count_text(c.correct), true) + table_cell(tokens_text(c), true) +
           table_cell(fixed(c.usd, 4), true) + table_cell(usd > 0 ? percent_text(c.usd / usd) : "-", true) +
           table_cell(fixed(c.device_s, 1), true) +
           table_cell(c.best > 0 ? fixed(c.best, 3) + "x" : "-", true) + "</tr>\n";
  return out + "</tbody></table></div>\n";
}

std::string effort_of(const report_facts& f) {
  auto target = f.settings.goal.target_speedup;
  auto reached = [](const std::optional<effort>& e) {
    return e ? count_text(e->steps) + (e->steps == 1 ? " candidate, " : " candidates, ") +
                   count_text(e->tokens) + " tokens, " + usd_text(e->usd)
             : std::string{"not reached"};
  };
  std::string out = "<h3>Candidates and tokens to each goal, by model</h3>\n";
  if (std::none_of(f.effort.begin(), f.effort.end(), [](const auto& e) { return !e.first.empty(); }))
    return out + "<p class=\"soft\">No model has written a candidate yet.</p>\n";
  out += "<div class=\"wide\"><table><thead><tr>" + head("model") + head("to the first correct") +
         head("to its best") +
         head(target > 0 ? "to the target of " + fixed(target, 2) + "x" : "to a target") +
         "</tr></thead><tbody>\n";
  for (const auto& [name, e] : f.effort)
    if (!name.empty() || f.effort.size() > 2)
      out += "<tr>" + table_cell(name.empty() ? "all together" : name) +
             table_cell(reached(e.first_correct)) + table_cell(reached(e.best)) +
             table_cell(target > 0 ? reached(e.target) : "none was set") + "</tr>\n";
  return out + "</tbody></table></div>\n<p class=\"soft\">Each model's own candidates alone, by the search's "
               "scores.</p>\n";
}

std::string cost_of(const report_facts& f) {
  auto per = [&](double total, std::uint64_t n, int digits) {
    return n ? fixed(total / static_cast<double>(n), digits) : std::string{"-"};
  };
  auto row = [&](const std::string& name, std::uint64_t n) {
    return "<tr>" + table_cell(name) + table_cell(count_text(n), true) +
           table_cell(per(static_cast<double>(f.row.spend.input_tokens + f.row.spend.output_tokens), n, 0),
                      true) +
           table_cell(per(f.row.spend.usd, n, 4), true) + table_cell(per(f.row.device_s, n, 2), true) +
           "</tr>\n";
  };
  std::string out = "<h3>Cost per kernel</h3>\n<div class=\"wide\"><table><thead><tr>" + head("of each") +
                    head("number", true) + head("tokens", true) + head("USD", true) + head("device-s", true) +
                    "</tr></thead><tbody>\n" + row("candidate", f.all.nodes) +
                    row("kernel with a verdict", f.judged) + row("correct kernel", f.all.correct) +
                    "</tbody></table></div>\n";
  out += shares_of("How each dollar was spent, by what became of the node", "state", f.by_state, f.all.usd);
  const auto& agents = f.row.agent_spend;
  if (f.row.agent_calls > 0)
    out += "<p class=\"soft\">Sub-agents made " + count_text(f.row.agent_calls) + " of the requests, with " +
           count_text(agents.input_tokens + agents.output_tokens) + " tokens and " +
           html_text(usd_text(agents.usd)) + ".</p>\n";
  if (auto lost = f.row.spend.usd - f.all.usd - agents.usd; lost > 1e-9)
    out += "<p class=\"soft\">A further " + html_text(usd_text(lost)) +
           " went to requests without a usable answer.</p>\n";
  out += shares_of("By model", "model", f.by_model, f.all.usd) + effort_of(f);
  if (!f.row.failures.empty()) {
    out += "<h3>Failed requests by kind</h3>\n<table><thead><tr>" + head("kind") + head("requests", true) +
           "</tr></thead><tbody>\n";
    for (const auto& [kind, n] : f.row.failures)
      out += "<tr>" + table_cell(kind) + table_cell(count_text(n), true) + "</tr>\n";
    out += "</tbody></table>\n<p class=\"soft\">Requests that were sent again are counted, too.</p>\n";
  }
  return out;
}

std::string provenance_of(const report_facts& f) {
  std::string out = "<h3>Provenance</h3>\n<div class=\"wide\"><table><tbody>\n";
  auto row = [&](const std::string& name, const std::string& value) {
    if (!value.empty())
      out += "<tr><th scope=\"row\">" + html_text(name) + "</th><td><code>" +
             html_text(first_line(value, 300)) + "</code></td></tr>\n";
  };
  row("store", f.store_id);
  row("problem", f.problem.name + " " + f.row.problem_digest);
  row("started", time_text(f.row.created_unix_ms));
  row("program", f.version);
  row("policy, seed",
      std::string{to_text(f.settings.search.policy)} + ", " + std::to_string(f.settings.seed));
  if (f.best && f.best->found) {
    row("device", f.best->found->device);
    for (const auto& [key, value] : f.best->found->provenance)
      row(key, value);
  }
  return out + "</tbody></table></div>\n";
}

} // namespace

std::string report_html(const std::vector<report_facts>& campaigns, const std::string& title) {
  std::string links, sections;
  for (const auto& f : campaigns) {
    std::string backends;
    for (const auto& b : f.row.trees)
      backends += (backends.empty() ? "" : ", ") + b;
    auto number = std::to_string(f.row.id);
    links += "<a href=\"#c" + number + "\">" + html_text(f.row.name) + "</a>";
    sections += filled_text(report_campaign, {{"number", number},
                                              {"name", html_text(f.row.name)},
                                              {"where", html_text(f.problem.name + " on " + backends)},
                                              {"summary", summary_of(f)},
                                              {"plots", plots_of(f)},
                                              {"steps", steps_of(f)},
                                              {"best", best_of(f)},
                                              {"tree", tree_of(f)},
                                              {"cost", cost_of(f)},
                                              {"provenance", provenance_of(f)}});
  }
  if (campaigns.empty())
    sections = "<p>The store holds no campaign.</p>\n";
  return filled_text(
      report_page,
      {{"title", html_text(title)},
       {"style", std::string{report_style}},
       {"navigation", campaigns.size() > 1 ? "<nav aria-label=\"Campaigns\">" + links + "</nav>\n" : ""},
       {"sections", sections}});
}

} // namespace ke::cli
