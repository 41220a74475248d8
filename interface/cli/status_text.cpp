#include "interface/cli/status_text.hpp"

#include "interface/cli/claim_text.hpp"
#include "interface/cli/figures.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

json parsed(const campaign_status& c) {
  return json::parse(c.json, nullptr, false);
}

double number_at(const json& j, const char* key) {
  return j.contains(key) && j[key].is_number() ? j[key].get<double>() : 0;
}
std::uint64_t count_at(const json& j, const char* key) {
  return static_cast<std::uint64_t>(std::max(0.0, number_at(j, key)));
}
std::string text_at(const json& j, const char* key) {
  return j.contains(key) && j[key].is_string() ? j[key].get<std::string>() : "";
}
json part_at(const json& j, const char* key) {
  return j.contains(key) && j[key].is_object() ? j[key] : json::object();
}

/// "correct 80, incorrect 3"
std::string counts(const json& by_name) {
  std::string all;
  for (const auto& [name, n] : by_name.items())
    all += (all.empty() ? "" : ", ") + name + " " + count_text(n.is_number() ? n.get<std::uint64_t>() : 0);
  return all;
}

struct progress {
  std::uint64_t ended = 0; ///< candidates of the budget that were used
  std::uint64_t total = 0;
  std::uint64_t tuned = 0, tune_total = 0; ///< points of templates, apart
  double per_hour = 0;
  double left_s = -1; ///< to the end of the candidates at this rate; -1: unknown
};

progress progress_of(const json& c) {
  progress p;
  auto nodes = part_at(c, "nodes");
  for (const auto& [name, n] : nodes.items()) {
    auto state = parse_name<node_state>(name);
    if (state && !is_open(*state) && *state != node_state::cancelled && n.is_number())
      p.ended += n.get<std::uint64_t>();
  }
  p.tuned = count_at(c, "tuned");
  p.ended -= std::min(p.ended, p.tuned);
  p.total = count_at(part_at(c, "budget"), "candidates");
  p.tune_total = count_at(part_at(c, "budget"), "tune_candidates");
  auto wall = number_at(c, "wall_s");
  if (wall > 0 && p.ended > 0) {
    p.per_hour = 3600 * static_cast<double>(p.ended) / wall;
    if (p.total > p.ended)
      p.left_s = wall * static_cast<double>(p.total - p.ended) / static_cast<double>(p.ended);
  }
  return p;
}

std::string budget_text(const json& c, const progress& p) {
  auto b = part_at(c, "budget"), s = part_at(c, "spend");
  auto left = [](double used, double cap) { return std::max(0.0, cap - used); };
  std::string line =
      count_text(p.total > p.ended ? p.total - p.ended : 0) + " of " + count_text(p.total) + " candidates";
  if (p.tuned > 0)
    line += ", " + count_text(p.tune_total > p.tuned ? p.tune_total - p.tuned : 0) + " of " +
            count_text(p.tune_total) + " points of templates";
  if (auto cap = number_at(b, "usd"); cap > 0)
    line += ", " + fixed(left(number_at(s, "usd"), cap), 2) + " of " + usd_text(cap);
  if (auto cap = number_at(b, "tokens"); cap > 0)
    line += ", " +
            count_text(static_cast<std::uint64_t>(
                left(number_at(s, "input_tokens") + number_at(s, "output_tokens"), cap))) +
            " of " + count_text(static_cast<std::uint64_t>(cap)) + " tokens";
  if (auto cap = number_at(b, "requests"); cap > 0)
    line += ", " + count_text(static_cast<std::uint64_t>(left(number_at(s, "requests"), cap))) + " of " +
            count_text(static_cast<std::uint64_t>(cap)) + " requests";
  if (auto cap = number_at(b, "wall_hours"); cap > 0)
    line +=
        ", " + duration_text(left(number_at(c, "wall_s"), 3600 * cap)) + " of " + duration_text(3600 * cap);
  if (auto cap = number_at(b, "device_hours"); cap > 0)
    line += ", " + duration_text(left(number_at(s, "device_s"), 3600 * cap)) + " of " +
            duration_text(3600 * cap) + " on devices";
  return line;
}

/// "nvidia-h200, nvidia-h200#2 quarantined: it fell over"
std::string devices_text(const json& w) {
  std::map<std::string, std::string> out_of_service;
  if (w.contains("quarantined") && w["quarantined"].is_array())
    for (const auto& q : w["quarantined"])
      if (q.is_object())
        out_of_service[text_at(q, "device")] = text_at(q, "reason");
  std::string all;
  for (const auto& d : w.contains("devices") && w["devices"].is_array() ? w["devices"] : json::array()) {
    auto name = d.is_string() ? d.get<std::string>() : json_line(d);
    all += (all.empty() ? "" : ", ") + name;
    if (auto q = out_of_service.find(name); q != out_of_service.end())
      all += " quarantined" + (q->second.empty() ? "" : ": " + q->second);
  }
  return all;
}

std::string workers_text(const json& c) {
  if (!c.contains("workers") || !c["workers"].is_array() || c["workers"].empty())
    return "none attached";
  std::string all;
  for (const auto& w : c["workers"])
    all += (all.empty() ? "" : "; ") + text_at(w, "name") + " (" + devices_text(w) + ") " +
           text_at(w, "state") + ", " + count_text(count_at(w, "jobs_done")) + " jobs done";
  return all;
}

/// "waiting for nvidia-h200 (triton)"
std::string waiting_text(const json& c) {
  std::string all;
  if (c.contains("waiting") && c["waiting"].is_array())
    for (const auto& w : c["waiting"])
      if (w.is_object())
        all += (all.empty() ? "" : "; ") + text_at(w, "text") + " (" + text_at(w, "backend") + ")";
  return all;
}

std::string state_line(const campaign_status& c, const json& j) {
  auto state = text_at(j, "state"), reason = text_at(j, "stop_reason");
  auto line = state + (reason.empty() ? "" : " (" + reason + ")");
  if (c.late)
    line += "; its owner is busy: this is what the store holds";
  else if (!c.live && state == "running")
    line += "; no owner is at work now - `ke-runtime --config FILE` resumes it";
  return line;
}

std::string set_aside_line(const json& c) {
  if (!c.contains("set_aside") || !c["set_aside"].is_array())
    return {};
  std::string names;
  for (const auto& name : c["set_aside"])
    names += (names.empty() ? "" : ", ") + (name.is_string() ? name.get<std::string>() : json_line(name));
  return "model " + names + ": too many answers in a row without a candidate; `resume` asks again";
}

/// "3 measured again (memory.2 31% slower than it was), 12 s held for others' work, 2 verdicts beside it"
std::string machine_line(const json& c) {
  auto m = part_at(c, "machine");
  std::string all;
  auto add = [&](const std::string& text) { all += (all.empty() ? "" : ", ") + text; };
  if (auto again = count_at(m, "measured_again"); again > 0) {
    auto now = count_at(m, "measured_again_now");
    add(count_text(again) + " measured again" + (now > 0 ? ", " + count_text(now) + " of them now" : "") +
        " (" + text_at(m, "why") + ")");
  }
  if (auto held = number_at(m, "held_s"); held >= 1)
    add(duration_text(held) + " held for others' work");
  if (auto beside = count_at(m, "beside_others"); beside > 0)
    add(count_text(beside) + (beside == 1 ? " verdict" : " verdicts") + " beside it");
  return all;
}

std::string best_line(const json& c, const std::vector<top_node>& top) {
  auto best = part_at(c, "best");
  auto compiled = count_at(part_at(c, "nodes"), std::string{to_text(node_state::compiled)}.c_str());
  if (best.empty() && compiled > 0)
    return "none: " + count_text(compiled) + " compiled, not executed";
  if (best.empty())
    return "no correct candidate yet";
  auto node = count_at(best, "node");
  if (auto t = std::find_if(top.begin(), top.end(), [&](const auto& x) { return x.id == node; });
      t != top.end())
    // Of a claim `best` tells: this one ranks, and flatters the best of many.
    return speedup_text(t->found, t->score) + " " + over_text(t->found) + " by the search, node " +
           std::to_string(t->id) + " (" + t->backend + ")" +
           (t->below.empty() ? "" : ", no claim: " + t->below);
  return (number_at(best, "score") > 0
              ? "score " + fixed(number_at(best, "score"), 3) + " (lower bound of its interval)"
              : std::string{"right on every call, not timed"}) +
         ", node " + std::to_string(node);
}

std::string spent_line(const json& c) {
  auto s = part_at(c, "spend");
  return count_text(count_at(s, "requests")) + " requests, " + count_text(count_at(s, "input_tokens")) +
         " + " + count_text(count_at(s, "output_tokens")) + " tokens, " + usd_text(number_at(s, "usd")) +
         ", " + fixed(number_at(s, "device_s"), 1) + " device-s, " + duration_text(number_at(c, "wall_s"));
}

/// Empty: nothing is.
std::string estimated_line(const json& c) {
  auto guess = part_at(c, "estimated");
  auto tokens = count_at(guess, "input_tokens") + count_at(guess, "output_tokens");
  if (tokens == 0)
    return {};
  return "of which estimated: " + count_text(tokens) + " tokens, " + usd_text(number_at(guess, "usd")) +
         (count_at(guess, "unheard_requests") > 0
              ? "; nobody heard how " + count_text(count_at(guess, "unheard_requests")) + " requests ended"
              : "");
}

std::string top_line(const top_node& t) {
  auto line = "node " + std::to_string(t.id) + ": " + speedup_text(t.found, t.score) + " by the search";
  if (t.found && t.found->diagnosis)
    line += ", bottleneck " + t.found->diagnosis->bottleneck + " (confidence " +
            percent_text(t.found->diagnosis->confidence) + ")";
  else
    line += ", bottleneck not diagnosed";
  if (!t.below.empty())
    line += ", " + t.below;
  return line;
}

} // namespace

std::string status_text(const campaign_status& c, const std::vector<top_node>& top) {
  auto j = parsed(c);
  auto p = progress_of(j);
  std::string out = text_at(j, "name") + ": " + state_line(c, j) + "\n";
  auto row = [&](const std::string& name, const std::string& what) {
    if (!what.empty())
      out += "  " + name + std::string(name.size() < 10 ? 10 - name.size() : 1, ' ') + what + "\n";
  };
  row(text_at(j, "trouble").empty() ? "paused" : "waits", text_at(j, "pause_reason"));
  row("target", c.live ? waiting_text(j) : "");
  row("set aside", set_aside_line(j));
  row("best", best_line(j, top));
  auto nodes = counts(part_at(j, "nodes"));
  row("nodes",
      (nodes.empty() ? "none yet" : nodes) + "; " + count_text(count_at(j, "in_flight")) + " in flight");
  row("machine", c.live ? machine_line(j) : "");
  row("left", budget_text(j, p));
  if (p.per_hour > 0)
    row("rate",
        fixed(p.per_hour, 1) + " candidates/h" +
            (p.left_s >= 0 && still_runs(c) ? ", at most " + duration_text(p.left_s) + " to go" : ""));
  row("spent", spent_line(j));
  row("", estimated_line(j));
  auto failures = counts(part_at(j, "failures"));
  row("failures", failures.empty() ? "none" : failures);
  row("workers", c.live ? workers_text(j) : "");
  for (std::size_t i = 0; i < top.size(); ++i)
    row(i == 0 ? "top" : "", top_line(top[i]));
  return out;
}

std::string status_line(const campaign_status& c) {
  auto j = parsed(c);
  auto p = progress_of(j);
  auto best = part_at(j, "best");
  auto failures = counts(part_at(j, "failures"));
  return text_at(j, "name") + ": " + text_at(j, "state") + ", " + count_text(p.ended) + "/" +
         count_text(p.total) + " candidates, " + count_text(count_at(j, "in_flight")) + " in flight, best " +
         (best.empty() ? "none"
                       : (number_at(best, "score") > 0 ? fixed(number_at(best, "score"), 3) : "not timed") +
                             " at node " + std::to_string(count_at(best, "node"))) +
         ", " + usd_text(number_at(part_at(j, "spend"), "usd")) +
         (failures.empty() ? "" : ", failures: " + failures) +
         (text_at(j, "trouble").empty() ? "" : "; waits: " + text_at(j, "trouble")) +
         (waiting_text(j).empty() ? "" : "; " + waiting_text(j));
}

bool still_runs(const campaign_status& c) {
  auto state = text_at(parsed(c), "state");
  return c.live && (state == "running" || state == "paused");
}

} // namespace ke::cli
