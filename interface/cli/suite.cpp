#include "config/problem_suite.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/suite_run.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace ke::cli {
namespace {

struct list_request {
  std::string suite;
  std::vector<std::string> filters;
  bool json = false;
};

int list_kinds() {
  std::cout << "kernelbench:PATH   KernelBench's files as they are, in the folders level1 to level4 of PATH\n"
               "kb-small:PATH      the same files with smaller sizes, for CPUs\n"
               "FOLDER             each folder below it with a problem.toml, each other .py file as "
               "KernelBench's\n";
  return exit_done;
}

int list(const list_request& o) {
  if (o.suite.empty())
    return list_kinds();
  auto found = find_suite(o.suite);
  if (!found)
    return complain(found.error());
  auto some = filtered(found->problems, o.filters);
  auto document = nlohmann::ordered_json{{"suite", o.suite}, {"problems", nlohmann::ordered_json::array()}};
  for (const auto& p : some)
    if (o.json)
      document["problems"].push_back({{"problem", p.name}, {"path", p.path}});
    else
      std::cout << p.name << '\n';
  if (o.json)
    std::cout << json_line(document) << '\n';
  else
    std::cerr << some.size() << " of " << found->problems.size() << " problems\n";
  return exit_done;
}

constexpr const char* suite_words = "kernelbench:PATH, kb-small:PATH or a folder of problems";
constexpr const char* filter_text =
    "Only problems whose name has all of these words, e.g. \"level1 softmax\"; repeated: or these";

void add_list(CLI::App& command, int& exit_code) {
  auto* sub = command.add_subcommand("list", "The kinds of suites, or the problems of one");
  auto o = std::make_shared<list_request>();
  sub->add_option("SUITE", o->suite, suite_words);
  sub->add_option("--filter", o->filters, filter_text)->allow_extra_args(false)->type_name("WORDS");
  sub->add_flag("--json", o->json, "One JSON document");
  sub->footer("Example:\n  ke-runtime suite list kernelbench:KernelBench --filter \"level2 relu\"");
  sub->callback([o, &exit_code] { exit_code = guarded([&] { return list(*o); }); });
}

void add_run_suite(CLI::App& command, int& exit_code) {
  auto* sub =
      command.add_subcommand("run", "A campaign per problem; again it goes on with what has not ended");
  auto o = std::make_shared<suite_request>();
  sub->add_option("SUITE", o->suite, suite_words)->required();
  sub->add_option("--config", o->start.config,
                  "campaign.toml: its goal, targets, models, search and budget hold for each problem")
      ->required();
  sub->add_option("--filter", o->filters, filter_text)->allow_extra_args(false)->type_name("WORDS");
  sub->add_option("--set", o->start.sets, "KEY=VALUE replaces a key of the file; may be repeated")
      ->allow_extra_args(false);
  sub->add_option("--baseline", o->baselines,
                  "reference | eager | compile | best-known instead of the file's; repeated: each apart")
      ->allow_extra_args(false)
      ->type_name("KIND");
  sub->add_flag("--fresh", o->fresh, "New campaigns beside those in the store");
  sub->add_flag("--json", o->json, "One JSON document; progress goes to stderr");
  sub->add_option("-o,--output", o->output, "Write the JSON document to this file, too")->type_name("FILE");
  sub->add_option("--csv", o->csv, "Write the cells as a table to this file, too")->type_name("FILE");
  sub->add_option("--ui", o->ui, "tui | plain | json | none (default: tui on a terminal, else plain)");
  sub->add_option("--backend-path", o->start.backend_paths, "Folder with more backends")
      ->allow_extra_args(false);
  sub->add_option("--sandbox", o->start.sandbox, "full | best | none")->capture_default_str();
  sub->footer(
      "Example:\n  ke-runtime suite run kernelbench:KernelBench --config campaign.toml --filter level1 "
      "--csv cells.csv\nCtrl-C once drains and saves, twice stops now; the same command goes on.");
  sub->callback([o, &exit_code] { exit_code = guarded([&] { return run_suite(*o); }); });
}

} // namespace

void add_suite(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("suite", "Many problems at once: a campaign for each, and the field's metrics");
  command->require_subcommand(1);
  command->footer("Example:\n  ke-runtime suite run kernelbench:KernelBench --config campaign.toml --json");
  add_run_suite(*command, exit_code);
  add_list(*command, exit_code);
}

} // namespace ke::cli
