#include "interface/cli/access.hpp"
#include "interface/cli/campaign_view.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/node_json.hpp"
#include "interface/cli/node_text.hpp"
#include "runtime/text/text_diff.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

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

int show(const access_options& where, bool json, std::uint64_t id) {
  auto c = opened(where, "show");
  if (!c)
    return complain(c.error());
  auto n = c->node(id);
  if (!n)
    return complain(n.error());
  if (json) {
    std::cout << node_report_json(*c, *n) << '\n';
    return exit_done;
  }
  auto done = write_node_text(*c, *n, std::cout);
  return done ? exit_done : complain(done.error());
}

int diff(const access_options& where, std::uint64_t first, std::uint64_t second) {
  auto c = opened(where, "diff");
  if (!c)
    return complain(c.error());
  node_view nodes[2];
  std::string sources[2];
  for (int i = 0; i < 2; ++i) {
    auto n = c->node(i == 0 ? first : second);
    if (!n)
      return complain(n.error());
    auto source = c->source_of(*n);
    if (!source)
      return complain(source.error());
    nodes[i] = std::move(*n);
    sources[i] = std::move(*source);
  }
  std::cout << verdict_comparison(*c, nodes[0], nodes[1]) << '\n';
  auto text =
      unified_diff(sources[0], sources[1], "node " + std::to_string(first), "node " + std::to_string(second));
  std::cout << (text.empty() ? "the sources are the same\n" : text);
  return exit_done;
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

  auto* one = app.add_subcommand("show", "One node with prompt, answer, logs and verdict");
  auto id = std::make_shared<std::uint64_t>(0);
  auto where_one = add_access(*one);
  auto json_one = std::make_shared<bool>(false);
  one->add_option("NODE", *id, "The node's id, as in `tree`")->required();
  one->add_flag("--json", *json_one, "One JSON document");
  one->footer("Example: ke-runtime show 42 --config campaign.toml");
  one->callback([=, &exit_code] { exit_code = guarded([&] { return show(*where_one, *json_one, *id); }); });

  auto* two = app.add_subcommand(
      "diff", "Two candidates side by side: verdicts, then the difference of their sources");
  auto ids = std::make_shared<std::pair<std::uint64_t, std::uint64_t>>();
  auto where_two = add_access(*two);
  two->add_option("A", ids->first, "A node's id; 0 is the reference")->required();
  two->add_option("B", ids->second, "Another node's id")->required();
  two->footer("Example: ke-runtime diff 0 42 --config campaign.toml");
  two->callback(
      [=, &exit_code] { exit_code = guarded([&] { return diff(*where_two, ids->first, ids->second); }); });
}

} // namespace ke::cli
