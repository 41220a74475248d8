#include "interface/cli/status_document.hpp"

#include "interface/cli/campaign_view.hpp"
#include "interface/cli/claim_text.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/store/record.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <set>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

/// What the owner said of its campaigns.
struct owners_answer {
  std::map<std::string, std::string> campaigns; ///< elements by name
  std::set<std::uint32_t> unanswered;           ///< ids of those that have ended, or were too busy
};

result<owners_answer> ask(control_client& owner) {
  auto answer = owner.ask(R"({"command":"status"})");
  if (!answer)
    return answer.error();
  auto document = json::parse(answer->json, nullptr, false);
  if (!document.is_object() || !document.contains("campaigns") || !document["campaigns"].is_array())
    return failure{failure_kind::connection,
                   "the owner's status could not be understood: " + answer->json.substr(0, 200)};
  owners_answer said;
  for (const auto& c : document["campaigns"])
    if (c.is_object())
      said.campaigns[c.value("name", "")] = json_line(c);
  for (const auto& id : document.value("unanswered", json::array()))
    if (id.is_number_unsigned())
      said.unanswered.insert(id.get<std::uint32_t>());
  return said;
}

/// The owner knows names; a name's newest campaign is the one that it runs.
std::map<std::string, std::uint32_t> newest_by_name(const std::vector<campaign_row>& rows) {
  std::map<std::string, std::uint32_t> newest;
  for (const auto& row : rows)
    newest[row.name] = std::max(newest[row.name], row.id);
  return newest;
}

} // namespace

std::string status_document::json() const {
  std::string text = std::string{"{\"live\": "} + (live ? "true" : "false") + ", \"campaigns\": [";
  for (std::size_t i = 0; i < campaigns.size(); ++i)
    text += (i ? ",\n" : "\n") + campaigns[i].json;
  return text + "\n]}";
}

result<std::string> status_source::stored(const campaign_row& row) {
  auto packed = pack(row);
  if (auto known = finished_.find(row.id); known != finished_.end() && known->second.first == packed)
    return known->second.second;
  auto view = campaign_view::open(*access_.store, row);
  if (!view)
    return view.error();
  // With no owner alive nothing is in flight; `nodes` tells what waits to be taken up.
  auto j = json::parse(campaign_status_json(view->row(), view->settings(), {}));
  j["workers"] = json::array();
  auto text = json_line(j);
  if (row.state == "finished")
    finished_[row.id] = {std::move(packed), text};
  return text;
}

result<status_document> status_source::read() {
  status_document d;
  owners_answer said;
  auto& live = said.campaigns;
  if (access_.owner) {
    auto told = ask(*access_.owner);
    if (told) {
      d.live = true;
      said = std::move(*told);
    } else if (!access_.store) {
      return told.error();
    } else { // it left; the store remains
      access_.owner.reset();
    }
  }
  if (!access_.store) {
    for (auto& [name, text] : live)
      if (access_.campaign.empty() || name == access_.campaign)
        d.campaigns.push_back({0, std::move(text), true});
    if (d.campaigns.empty() && !access_.campaign.empty())
      return failure{failure_kind::not_found, "no campaign named " + access_.campaign + " is known there"};
    return d;
  }
  auto rows = wanted_campaigns(access_, "status");
  if (!rows)
    return rows.error();
  auto newest = newest_by_name(*rows);
  for (const auto& row : *rows) {
    if (auto told = live.find(row.name); told != live.end() && newest[row.name] == row.id) {
      d.campaigns.push_back({row.id, told->second, true});
      continue;
    }
    auto text = stored(row);
    if (!text)
      return text.error();
    d.campaigns.push_back(
        {row.id, std::move(*text), false, row.state == "running" && said.unanswered.contains(row.id)});
  }
  return d;
}

std::vector<top_node> status_source::top(std::uint32_t campaign, std::size_t most) const {
  std::vector<top_node> best;
  if (!access_.store || campaign == 0)
    return best;
  auto row = access_.store->row<campaign_row>(table::campaigns, key_of(campaign));
  if (!row)
    return best;
  auto packed = access_.store->blob(row->settings_digest);
  auto settings = packed ? unpack<campaign_settings>(*packed) : result<campaign_settings>{packed.error()};
  // Minus the score, tree and node: the best first, of equal ones the earliest, as `best` has it.
  using ranked = std::pair<double, std::pair<std::uint32_t, std::uint32_t>>;
  std::set<ranked> kept;
  static_cast<void>(access_.store->rows<hot_row>(
      table::hot, key_of(campaign), [&](std::string_view key, const hot_row& hot) {
        auto node = static_cast<std::uint32_t>(number_of(key.substr(8, 4)));
        if (node == 0 || hot.state != node_state::correct || hot.score < 0)
          return true;
        kept.insert({-hot.score, {static_cast<std::uint32_t>(number_of(key.substr(4, 4))), node}});
        if (kept.size() > most)
          kept.erase(std::prev(kept.end()));
        return true;
      }));
  for (const auto& [minus_score, place] : kept) {
    auto [tree, node] = place;
    top_node t;
    t.id = public_id(std::max<std::size_t>(1, row->trees.size()), tree, node);
    t.score = -minus_score;
    t.backend = tree < row->trees.size() ? row->trees[tree] : "";
    auto n = access_.store->row<node_row>(table::nodes, key_of(campaign, tree, node));
    if (n && !n->verdict_digests.empty())
      if (auto v = access_.store->row<verdict>(table::verdicts, n->verdict_digests.front()))
        t.found = std::move(*v);
    if (settings)
      t.below = floor_text(t.found, settings->goal, measure_plan::rank);
    best.push_back(std::move(t));
  }
  return best;
}

} // namespace ke::cli
