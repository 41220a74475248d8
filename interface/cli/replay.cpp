#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/fold_check.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

json document_of(const campaign_row& row, const fold_comparison& c,
                 const std::vector<std::string>& backends) {
  auto trees = json::array();
  for (std::size_t t = 0; t < c.tree_hashes.size(); ++t)
    trees.push_back({{"backend", t < backends.size() ? backends[t] : ""}, {"hash", c.tree_hashes[t]}});
  return {{"campaign", row.name},
          {"records", c.records},
          {"nodes", c.nodes},
          {"ended", c.ended},
          {"hash", c.hash},
          {"trees", trees},
          {"matches", c.difference_count == 0},
          {"difference_count", c.difference_count},
          {"differences", c.differences}};
}

int replay(const access_options& where, bool as_json) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto row = wanted_campaign(*a, "replay");
  if (!row)
    return complain(row.error());
  auto compared = compare_fold(*a->store, row->id);
  if (!compared)
    return complain(compared.error());
  const auto& c = *compared;
  if (as_json) {
    std::cout << json_line(document_of(*row, c, row->trees)) << '\n';
  } else {
    std::cout << "replayed " << row->name << ": " << count_text(c.records) << " journal records make "
              << count_text(c.nodes) << " nodes, " << count_text(c.ended) << " of them ended\n";
    for (std::size_t t = 0; t < c.tree_hashes.size(); ++t)
      std::cout << "tree " << t << " (" << (t < row->trees.size() ? row->trees[t] : "?")
                << "): " << c.tree_hashes[t] << '\n';
    std::cout << "campaign: " << c.hash << '\n';
    for (const auto& d : c.differences)
      std::cout << "differs: " << d << '\n';
    if (c.difference_count == 0)
      std::cout << "the stored rows are what the journal makes\n";
  }
  if (c.difference_count == 0)
    return exit_done;
  return complain({failure_kind::corrupt,
                   "the rows of campaign " + row->name + " differ from its journal in " +
                       std::to_string(c.difference_count) + " place(s): run `ke-runtime store check`"});
}

} // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "replay", "Rebuild a campaign's tree from its journal, with no model and no device, and compare");
  auto where = add_access(*command);
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "One JSON document");
  command->footer("Example: ke-runtime replay --config campaign.toml");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return replay(*where, *as_json); }); });
}

} // namespace ke::cli
