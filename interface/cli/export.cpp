#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/node_csv.hpp"
#include "interface/cli/node_json.hpp"
#include "interface/cli/trajectories.hpp"
#include "interface/cli/winner_export.hpp"
#include "runtime/core/rows.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>

namespace ke::cli {
namespace {

result<campaign_view> opened(const access_options& options) {
  auto a = open_access(options);
  if (!a)
    return a.error();
  auto row = wanted_campaign(*a, "export");
  if (!row)
    return row.error();
  return campaign_view::open(*a->store, *row);
}

int export_best(const access_options& where, const std::string& dir, bool previous) {
  auto c = opened(where);
  if (!c)
    return complain(c.error());
  auto done = export_winner(*c, dir, previous);
  if (!done) {
    auto code = complain(done.error());
    return done.error().kind == failure_kind::not_found ? exit_unproven : code;
  }
  std::cout << "exported node " << done->node << " of " << c->name() << " (winner " << done->version
            << ") to " << done->folder << '\n';
  if (!done->claimed)
    std::cout << "it was not measured again for a claim yet, hence the folder's name\n";
  return exit_done;
}

/// Writes to a file or, without a name, to stdout.
int written(const std::string& file, const std::function<status(std::ostream&)>& write) {
  if (file.empty()) {
    auto done = write(std::cout);
    return done ? exit_done : complain(done.error());
  }
  auto unfinished = file + ".part"; // never half a file under the right name
  std::ofstream out{unfinished, std::ios::binary};
  auto done = write(out);
  out.close();
  std::error_code error;
  if (done && out)
    std::filesystem::rename(unfinished, file, error);
  if (done && out && !error)
    return exit_done;
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  return complain(done ? failure{failure_kind::invalid, "cannot write " + file} : done.error());
}

int export_table(const access_options& where, const std::string& file,
                 status (*write)(const campaign_view&, std::ostream&)) {
  auto c = opened(where);
  if (!c)
    return complain(c.error());
  return written(file, [&](std::ostream& out) { return write(*c, out); });
}

struct trajectory_request {
  std::string file, form = "steps", split = "all";
  bool all = false;
  std::uint64_t since = 0;
};

/// The one that is named, or all of the store.
result<std::vector<campaign_row>> exported_campaigns(const access& a, bool all) {
  if (all) {
    auto store = local_store(a, "export");
    return store ? store->campaigns() : result<std::vector<campaign_row>>{store.error()};
  }
  auto one = wanted_campaign(a, "export");
  if (!one)
    return one.error();
  return std::vector<campaign_row>{std::move(*one)};
}

int export_trajectories(const access_options& where, const trajectory_request& asked) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto rows = exported_campaigns(*a, asked.all);
  if (!rows)
    return complain(rows.error());
  trajectory_options options;
  options.form = asked.form == "chains" ? trajectory_form::chains : trajectory_form::steps;
  options.split = asked.split == "train"  ? trajectory_split::train
                  : asked.split == "test" ? trajectory_split::test
                                          : trajectory_split::all;
  options.since = asked.since;
  std::uint64_t lines = 0;
  std::string open;
  auto code = written(asked.file, [&](std::ostream& out) -> status {
    for (const auto& row : *rows) {
      auto c = campaign_view::open(*a->store, row);
      auto counts = c ? write_trajectories(*c, options, out) : result<trajectory_counts>{c.error()};
      if (!counts)
        return counts.error();
      lines += counts->written;
      if (counts->open > 0)
        open += "; " + std::to_string(counts->open) + " nodes of " + row.name +
                " are still open: come back with --since " + std::to_string(counts->first_open);
    }
    return ok;
  });
  if (code == exit_done)
    (asked.file.empty() ? std::cerr : std::cout) << "exported " << lines << ' ' << asked.form << " of "
                                                 << rows->size() << " campaign(s)" << open << '\n';
  return code;
}

void add_trajectories(CLI::App& command, int& exit_code) {
  auto* sub = command.add_subcommand(
      "trajectories", "What the model of each candidate saw, answered and earned: JSON lines for training");
  auto where = add_access(*sub);
  auto asked = std::make_shared<trajectory_request>();
  sub->add_option("-o,--output", asked->file, "The file to write; stdout without it")->type_name("FILE");
  sub->add_flag("--all", asked->all, "All campaigns of the store");
  sub->add_option("--form", asked->form, "steps: a line per candidate; chains: a line per path from the root")
      ->check(CLI::IsMember({"steps", "chains"}));
  sub->add_option("--split", asked->split,
                  "Only the operators of this split; an operator is in one split alone")
      ->check(CLI::IsMember({"train", "test", "all"}));
  sub->add_option("--since", asked->since, "steps: only nodes with this id or a higher one")->type_name("ID");
  sub->footer("Example: ke-runtime export trajectories --config campaign.toml -o steps.jsonl");
  sub->callback(
      [=, &exit_code] { exit_code = guarded([&] { return export_trajectories(*where, *asked); }); });
}

} // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "export", "The winning kernel as a folder, trajectories to learn from, the tree, or a table");
  command->require_subcommand(1);
  command->footer("Example: ke-runtime export best --config campaign.toml -o softmax-kernel");

  auto* best = command->add_subcommand(
      "best", "The winner as a drop-in folder with build recipe, verdict, provenance and digests");
  auto where = add_access(*best);
  auto dir = std::make_shared<std::string>();
  auto previous = std::make_shared<bool>(false);
  best->add_option("-o,--output", *dir, "The folder to write")->required()->type_name("DIR");
  best->add_flag("--previous", *previous, "Roll back: export the winner before the last exported one");
  best->footer("Example: ke-runtime export best --config campaign.toml -o softmax-kernel");
  best->callback(
      [=, &exit_code] { exit_code = guarded([&] { return export_best(*where, *dir, *previous); }); });

  auto add_table = [&](const std::string& name, const std::string& what,
                       status (*write)(const campaign_view&, std::ostream&)) {
    auto* table = command->add_subcommand(name, what);
    auto where_table = add_access(*table);
    auto file = std::make_shared<std::string>();
    table->add_option("-o,--output", *file, "The file to write; stdout without it")->type_name("FILE");
    table->footer("Example: ke-runtime export " + name + " --config campaign.toml -o nodes." +
                  (name == "csv" ? "csv" : "json"));
    table->callback(
        [=, &exit_code] { exit_code = guarded([&] { return export_table(*where_table, *file, write); }); });
  };
  add_table("tree", "The tree as JSON, as `tree --json` prints it",
            [](const campaign_view& c, std::ostream& out) { return write_tree_json(c, {}, out); });
  add_table("csv", "All nodes as a table", write_csv);

  add_trajectories(*command, exit_code);
}

} // namespace ke::cli
