#include "interface/cli/best.hpp"

#include "backends/verdict/verdict_rules.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/campaign_view.hpp"
#include "interface/cli/claim_text.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/shape_bests.hpp"
#include "interface/cli/winners.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/claim_book.hpp"
#include "runtime/search/campaign/finalists.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

struct best_of_campaign {
  node_view node;
  std::string source_path;
  std::optional<verdict> found;
  bool proven = false;
  bool claimed = false;                     ///< `found` is the claim's
  bool refuted = false;                     ///< it was measured again, and that did not confirm it
  const claim_book::entry* claim = nullptr; ///< the campaign's; null: none is complete
  std::string below;                        ///< which workload lies below the goal's floor; empty: none
  std::string dispatcher;                   ///< who computes which shapes; empty: it is one kernel
  std::vector<shape_best> shapes;           ///< who is the best on each workload
};

result<std::optional<best_of_campaign>> best_of(const campaign_view& c) {
  auto key = c.winner();
  if (!key)
    return std::optional<best_of_campaign>{};
  auto n = c.node(*key);
  if (!n)
    return n.error();
  auto path = source_file(c, *n);
  if (!path)
    return path.error();
  best_of_campaign b;
  b.dispatcher = dispatcher_text(c, *n);
  b.shapes = shape_bests_of(c);
  b.node = std::move(*n);
  b.source_path = std::move(*path);
  auto timed = c.settings().goal.timed;
  const auto* claim = c.claim_on(*key);
  b.claim = claim;
  b.claimed = claim && claim->confirmed(timed);
  b.refuted = claim && !b.claimed;
  b.found = b.claimed ? c.claimed_verdict(*key) : c.verdict_of(b.node);
  b.below = below_floor_of(c, b.node);
  b.proven = b.claimed || (!b.refuted && (!timed || b.node.decision == timing_decision::faster));
  return std::optional{std::move(b)};
}

/// Where the claim was measured, then where it was looked at again.
json devices_json(const claim_book::entry& e) {
  auto all = json::array();
  for (const auto* places : {&e.targets, &e.elsewhere})
    for (const auto& p : *places)
      all.push_back(
          {{"worker", p.worker},
           {"device", p.device},
           {"target", p.target},
           {"claim", places == &e.targets},
           {"state", to_text(p.state)},
           {"decision", p.decision == timing_decision::none ? json(nullptr) : json(to_text(p.decision))},
           {"score", p.score ? json(*p.score) : json(nullptr)}});
  return all;
}

json json_of(const campaign_view& c, const best_of_campaign& b) {
  json j = {{"campaign", c.name()},
            {"problem", c.problem().name},
            {"node", b.node.id},
            {"source_path", b.source_path},
            {"verdict", b.found ? json::parse(verdict_json(*b.found)) : json(nullptr)},
            {"claim", b.claimed}};
  if (b.claim && b.claim->validated())
    j["devices"] = devices_json(*b.claim);
  if (b.shapes.size() > 1) // of a single one the verdict has said it
    j["workloads"] = json_of(b.shapes);
  if (!b.dispatcher.empty())
    j["dispatcher"] = b.dispatcher;
  return j;
}

std::string text_of(const campaign_view& c, const best_of_campaign& b) {
  auto timed = c.settings().goal.timed;
  auto text = c.name() + " (" + c.problem().name + "): node " + std::to_string(b.node.id) + ", " +
              (timed ? speedup_text(b.found, b.node.score) : "right on every call, not timed");
  if (b.found && b.found->timing)
    text += " " + over_text(b.found) + ": " + medians_text(*b.found->timing) + " (medians)";
  text += "\n";
  if (b.found && b.found->timing)
    text += workload_lines(*b.found->timing, "  ");
  if (!b.dispatcher.empty())
    text += "  " + b.dispatcher + "\n";
  if (auto lines = shape_lines(b.shapes, "    "); !lines.empty())
    text += "  the best single kernel on each workload, by the search:\n" + lines;
  text += "  source " + b.source_path + "\n";
  if (b.found)
    text += "  on " + b.found->device + ", backend " + b.found->backend + ", " +
            std::to_string(b.found->cases) + " correctness cases" +
            (b.found->diagnosis ? ", bottleneck " + b.found->diagnosis->bottleneck : "") + "\n";
  if (b.claim)
    if (auto second = second_device_text(*b.claim, timed); !second.empty())
      text += "  " + second + "\n";
  if (!b.below.empty())
    text += "  " + b.below + " ([goal] floor), hence no claim\n";
  else if (!b.proven)
    text += timed ? "  not proven faster than the baseline\n" : "  measured again, it was not confirmed\n";
  if (!timed)
    return text + (b.claimed ? "  checked again for the claim: fresh inputs and processes\n" : "");
  return text + (b.claimed ? "  measured again for the claim: fresh inputs and processes, held-out workloads "
                             "too; the interval holds for the best of " +
                                 std::to_string(most_finalists) + " finalists\n"
                 : b.refuted
                     ? "  this is the search's own measurement (95% interval); measured again, it was not "
                       "confirmed\n"
                     : "  this is the search's own measurement (95% interval), not yet measured again for "
                       "a claim\n");
}

int best(const access_options& where, bool as_json) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto rows = wanted_campaigns(*a, "best");
  if (!rows)
    return complain(rows.error());
  auto document = json::array();
  std::string text;
  bool proven = false;
  for (const auto& row : *rows) {
    auto c = campaign_view::open(*a->store, row);
    if (!c)
      return complain(c.error());
    auto b = best_of(*c);
    if (!b)
      return complain(b.error());
    if (!*b) {
      text += c->name() + " (" + c->problem().name + "): no correct candidate yet\n";
      continue;
    }
    proven = proven || (*b)->proven;
    document.push_back(json_of(*c, **b));
    text += text_of(*c, **b);
  }
  if (as_json)
    std::cout << json_line(document) << '\n';
  else
    std::cout << (text.empty() ? "the store holds no campaign\n" : text);
  return proven ? exit_done : exit_unproven;
}

} // namespace

result<std::string> best_text(const store_reader& store, const campaign_row& row) {
  auto c = campaign_view::open(store, row);
  if (!c)
    return c.error();
  auto b = best_of(*c);
  if (!b)
    return b.error();
  return *b ? text_of(*c, **b) : c->name() + " (" + c->problem().name + "): no correct candidate yet\n";
}

void add_best(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "best", "The best kernel of each campaign with its evidence; exit 1 if none beats the baseline");
  auto where = add_access(*command);
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "One JSON document");
  command->footer("Example: ke-runtime best --store ~/.local/share/ke-runtime --json");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return best(*where, *as_json); }); });
}

} // namespace ke::cli
