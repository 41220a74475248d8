#include "backends/evidence/machine_listing.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/campaign_view.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/node_artifacts.hpp"
#include "interface/cli/node_json.hpp"
#include "interface/cli/node_text.hpp"
#include "runtime/text/json_text.hpp"
#include "runtime/text/text_diff.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <optional>

namespace ke::cli {
namespace {

result<campaign_view> opened(const access_options& options, const std::string& command) {
  auto a = open_access(options);
  if (!a)
    return a.error();
  auto row = wanted_campaign(*a, command);
  if (!row)
    return row.error();
  return campaign_view::open(*a->store, *row);
}

int tree(const access_options& where, bool json, tree_range range) {
  auto c = opened(where, "tree");
  if (!c)
    return complain(c.error());
  auto done =
      json ? write_tree_json(*c, range, std::cout) : write_tree_text(*c, range.since, range.limit, std::cout);
  return done ? exit_done : complain(done.error());
}

struct show_options {
  std::uint64_t id = 0;
  bool json = false;
  bool artifacts = false;
  std::string artifact; ///< empty: the list
};

int show(const access_options& where, const show_options& o) {
  auto c = opened(where, "show");
  if (!c)
    return complain(c.error());
  auto n = c->node(o.id);
  if (!n)
    return complain(n.error());
  if (o.artifacts) {
    auto said = artifacts_text(artifacts_of(*c, *n), *n, o.artifact, o.json);
    if (!said)
      return complain(said.error());
    std::cout << *said;
    return exit_done;
  }
  if (o.json) {
    std::cout << node_report_json(*c, *n) << '\n';
    return exit_done;
  }
  auto done = write_node_text(*c, *n, std::cout);
  return done ? exit_done : complain(done.error());
}

struct diff_options {
  std::uint64_t first = 0, second = 0;
  std::optional<listing_kind> listing; ///< none: of the sources
};

int diff(const access_options& where, const diff_options& o) {
  auto c = opened(where, "diff");
  if (!c)
    return complain(c.error());
  node_view nodes[2];
  std::string texts[2];
  for (int i = 0; i < 2; ++i) {
    auto n = c->node(i == 0 ? o.first : o.second);
    if (!n)
      return complain(n.error());
    auto text = o.listing ? listing_of(artifacts_of(*c, *n), *n, *o.listing) : c->source_of(*n);
    if (!text)
      return complain(text.error());
    nodes[i] = std::move(*n);
    texts[i] = std::move(*text);
  }
  std::cout << verdict_comparison(*c, nodes[0], nodes[1]) << '\n';
  auto text =
      unified_diff(texts[0], texts[1], "node " + std::to_string(o.first), "node " + std::to_string(o.second));
  if (text.empty())
    text = o.listing ? "the instructions are the same\n" : "the sources are the same\n";
  std::cout << (o.listing ? printable(text) : text);
  return exit_done;
}

void add_show(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("show", "One node with prompt, answer, logs and verdict");
  auto o = std::make_shared<show_options>();
  auto where = add_access(*command);
  command->add_option("NODE", o->id, "The node's id, as in `tree`")->required();
  command->add_flag("--json", o->json, "One JSON document");
  auto* artifact = command
                       ->add_option("--artifact", o->artifact,
                                    "What tools printed about it: the list, or the one of this name")
                       ->type_name("[NAME]")
                       ->expected(0, 1);
  command->footer("Example: ke-runtime show 42 --config campaign.toml\n"
                  "         ke-runtime show 42 --artifact kernel.asm --config campaign.toml");
  command->callback([=, &exit_code] {
    o->artifacts = artifact->count() > 0;
    exit_code = guarded([&] { return show(*where, *o); });
  });
}

void add_diff(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "diff", "Two candidates side by side: verdicts, then the difference of their sources or instructions");
  auto o = std::make_shared<diff_options>();
  auto where = add_access(*command);
  command->add_option("A", o->first, "A node's id; 0 is the reference")->required();
  command->add_option("B", o->second, "Another node's id")->required();
  auto listing = [&](const char* flag, listing_kind kind, const char* what) {
    return command->add_flag_callback(
        flag, [o, kind] { o->listing = kind; },
        std::string{"The difference of their "} + what + ", without addresses");
  };
  auto* assembly = listing("--asm", listing_kind::assembly, "machine code");
  auto* sass = listing("--sass", listing_kind::sass, "machine code on an NVIDIA device")->excludes(assembly);
  listing("--ptx", listing_kind::ptx, "PTX")->excludes(assembly)->excludes(sass);
  command->footer("Example: ke-runtime diff 0 42 --config campaign.toml\n"
                  "         ke-runtime diff 17 42 --asm --config campaign.toml");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return diff(*where, *o); }); });
}

} // namespace

void add_tree(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("tree", "The search tree of a campaign");
  auto where = add_access(*command);
  auto json = std::make_shared<bool>(false);
  auto range = std::make_shared<tree_range>();
  command->add_flag("--json", *json, "One JSON document, streamed");
  command->add_option("--since", range->since, "Only nodes with this id or a higher one")->type_name("ID");
  command->add_option("--limit", range->limit, "Most nodes to print")->type_name("N");
  command->footer("Example: ke-runtime tree --config campaign.toml --json --since 100 --limit 50");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return tree(*where, *json, *range); }); });
  add_show(app, exit_code);
  add_diff(app, exit_code);
}

} // namespace ke::cli
