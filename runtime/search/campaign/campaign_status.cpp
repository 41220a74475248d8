#include "runtime/search/campaign/campaign_status.hpp"

#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

namespace ke {
namespace {

using json = nlohmann::ordered_json;

json limit(double x) {
  return x > 0 ? json(x) : json(nullptr);
}

json machine_of(const machine_weather& m) {
  return {{"measured_again", m.measured_again},
          {"measured_again_now", m.now.size()},
          {"why", m.why.empty() ? json(nullptr) : json(m.why)},
          {"held_s", m.held_s},
          {"beside_others", m.beside_others}};
}

json status_of(const campaign_row& row, const campaign_settings& s, status_facts facts) {
  json best = nullptr;
  if (row.best_node != no_node)
    best = {{"node", public_id(std::max<std::size_t>(1, row.trees.size()), row.best_tree, row.best_node)},
            {"score", row.best_score}};
  std::map<std::string, std::uint64_t> nodes = row.states, failures = row.failures;
  failures.erase(std::string{to_text(failure_kind::cancelled)}); // we did that
  auto waits = !facts.trouble.empty() && row.state == "running";
  auto waiting = json::array();
  for (const auto& w : facts.waiting)
    waiting.push_back({{"backend", w.backend}, {"device", w.device}, {"text", w.text}});
  json j = {{"name", row.name},
            {"state", waits ? "paused" : row.state},
            {"pause_reason", row.pause_reason.empty() ? json(nullptr) : json(row.pause_reason)},
            {"stop_reason", row.stop_reason.empty() ? json(nullptr) : json(row.stop_reason)},
            {"nodes", nodes},
            {"failures", failures},
            {"tuned", row.tuned},
            {"in_flight", facts.in_flight},
            {"waiting", waiting},
            {"best", best},
            {"spend",
             {{"requests", row.requests},
              {"input_tokens", row.spend.input_tokens},
              {"output_tokens", row.spend.output_tokens},
              {"usd", row.spend.usd},
              {"device_s", row.device_s}}},
            {"estimated", // of what is spent: no provider has told it
             {{"input_tokens", row.estimated.input_tokens},
              {"output_tokens", row.estimated.output_tokens},
              {"usd", row.estimated.usd},
              {"unheard_requests", row.unheard}}},
            {"wall_s", static_cast<double>(row.wall_ms) / 1000},
            {"budget",
             {{"candidates", s.budget.candidates},
              {"tune_candidates", s.budget.tune_candidates},
              {"wall_hours", limit(s.budget.wall_hours)},
              {"device_hours", limit(s.budget.device_hours)},
              {"usd", limit(s.budget.usd)},
              {"tokens", limit(static_cast<double>(s.budget.tokens))},
              {"requests", limit(static_cast<double>(s.budget.requests))},
              {"stall", s.budget.stall_candidates > 0 ? json{{"candidates", s.budget.stall_candidates},
                                                             {"min_gain", s.budget.stall_min_gain}}
                                                      : json(nullptr)}}}};
  if (facts.live)
    j["machine"] = machine_of(facts.machine);
  if (waits) {
    j["trouble"] = facts.trouble;
    j["pause_reason"] = facts.trouble;
  }
  if (!facts.set_aside.empty())
    j["set_aside"] = facts.set_aside;
  return j;
}

} // namespace

std::uint64_t public_id(std::size_t trees, std::uint32_t tree, std::uint32_t node) {
  return static_cast<std::uint64_t>(node) * trees + tree;
}

std::string campaign_status_json(const campaign_row& row, const campaign_settings& settings,
                                 status_facts facts) {
  return json_line(status_of(row, settings, facts));
}

std::string event_json(const char* kind, const std::string& campaign,
                       std::initializer_list<std::pair<const char*, std::string>> fields) {
  json j = {{"event", kind}, {"campaign", campaign}};
  for (const auto& [key, value] : fields)
    j[key] = value;
  return json_line(j);
}

std::string node_event_json(const std::string& campaign, std::uint64_t id, node_state state,
                            timing_decision decision, std::optional<double> score,
                            const std::string& reason) {
  json j = {{"event", "node"},
            {"campaign", campaign},
            {"node", id},
            {"state", to_text(state)},
            {"score", score ? json(*score) : json(nullptr)},
            {"decision", decision == timing_decision::none ? json(nullptr) : json(to_text(decision))}};
  if (!reason.empty())
    j["reason"] = reason;
  return json_line(j);
}

std::string progress_event_json(const campaign_row& row, const campaign_settings& settings,
                                status_facts facts) {
  json j = {{"event", "progress"}, {"campaign", row.name}};
  j.update(status_of(row, settings, facts));
  return json_line(j);
}

} // namespace ke
