#include "actors/cli/access.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/node_csv.hpp"
#include "actors/cli/node_json.hpp"
#include "actors/cli/winner_export.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
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
            << ") to " << dir << '\n';
  return exit_done;
}

/// Writes to a file or, without a name, to stdout.
int export_table(const access_options& where, const std::string& file,
                 status (*write)(const campaign_view&, std::ostream&)) {
  auto c = opened(where);
  if (!c)
    return complain(c.error());
  if (file.empty()) {
    auto done = write(*c, std::cout);
    return done ? exit_done : complain(done.error());
  }
  auto unfinished = file + ".part"; // never half a file under the right name
  std::ofstream out{unfinished, std::ios::binary};
  auto done = write(*c, out);
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

} // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("export", "The winning kernel as a folder, the tree, or a table");
  command->require_subcommand(1);
  command->footer("Example: ke-runtime export best --config campaign.toml -o softmax-kernel");

  auto* best = command->add_subcommand(
      "best", "The winner as a drop-in folder with build recipe, verdict, provenance and digests");
  auto where = add_access(*best);
  auto dir = std::make_shared<std::string>();
  auto previous = std::make_shared<bool>(false);
  best->add_option("-o,--output", *dir, "The folder to write")->required()->type_name("DIR");
  best->add_flag("--previous", *previous, "Roll back: the winner before the one that was exported last");
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

  auto* later = command->add_subcommand("trajectories", "RL trajectories as JSONL (not in this version)");
  later->allow_extras();
  later->footer("Example: ke-runtime export trajectories --config campaign.toml -o runs.jsonl");
  later->callback([&exit_code] {
    exit_code = complain({failure_kind::invalid, "`export trajectories` is not part of this version; `show "
                                                 "NODE --json` gives prompt, answer and verdict of a node"});
  });
}

} // namespace ke::cli
