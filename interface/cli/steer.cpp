#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/hint.hpp"
#include "interface/cli/number_check.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace ke::cli {
namespace {

using sorted_json = nlohmann::json;

/// Sends one act to the owner and tells how it went.
int steer(const access_options& where, sorted_json command) {
  auto a = open_access(where, ask_owner::yes);
  if (!a)
    return complain(a.error());
  if (!a->owner)
    return complain(a->silence.value_or(failure{failure_kind::invalid,
                                                "no process owns this store now, so there is nothing to "
                                                "steer; start it with `ke-runtime --config FILE`",
                                                false}));
  if (!a->campaign.empty())
    command["campaign"] = a->campaign;
  auto answer = a->owner->ask(json_line(command));
  if (!answer)
    return complain(answer.error());
  if (answer->exit_code != 0) {
    std::cerr << "ke-runtime: " << error_in(answer->json) << '\n';
    return answer->exit_code;
  }
  std::cout << answer->json << '\n';
  return exit_done;
}

void add_hint(CLI::App& app, int& exit_code) {
  auto* hint = app.add_subcommand("hint", "Put a sentence into the prompts of a node's descendants");
  auto where = add_access(*hint);
  auto node = std::make_shared<std::string>(), text = std::make_shared<std::string>();
  hint->add_option("NODE", *node, "The node's id; 0: the whole tree")->required()->check(node_id_check());
  hint->add_option("TEXT", *text, "The hint, a sentence or two")->required();
  hint->footer("Example:\n  ke-runtime hint 12 \"try two accumulators\" --config campaign.toml");
  hint->callback([=, &exit_code] {
    exit_code = guarded([&] {
      if (auto fits = check_hint(*text); !fits)
        return complain(fits.error());
      return steer(*where, {{"command", "hint"}, {"node", *node}, {"text", *text}});
    });
  });
}

void add_set(CLI::App& app, int& exit_code) {
  auto* set = app.add_subcommand("set", "Change a key of the running campaign");
  auto at = add_access(*set);
  auto assignment = std::make_shared<std::string>();
  set->add_option("KEY=VALUE", *assignment, "e.g. budget.candidates=200")->required();
  set->footer("Example:\n  ke-runtime set budget.usd=5 --config campaign.toml");
  set->callback([=, &exit_code] {
    exit_code = guarded([&] {
      auto equal = assignment->find('=');
      if (equal == std::string::npos)
        return complain({failure_kind::invalid, "set: expected KEY=VALUE, not " + *assignment, false});
      return steer(*at, {{"command", "set"},
                         {"key", assignment->substr(0, equal)},
                         {"value", assignment->substr(equal + 1)}});
    });
  });
}

} // namespace

void add_steer(CLI::App& app, int& exit_code) {
  auto act = [&app, &exit_code](const char* name, const char* help) {
    auto* command = app.add_subcommand(name, help);
    auto where = add_access(*command);
    command->footer(std::string{"Example:\n  ke-runtime "} + name + " --config campaign.toml");
    command->callback(
        [=, &exit_code] { exit_code = guarded([&] { return steer(*where, {{"command", name}}); }); });
  };
  act("pause", "Begin no new candidates; those in flight are finished");
  act("resume", "Go on after a pause");
  act("stop", "End the campaign for good: what is in flight is cancelled");
  add_hint(app, exit_code);
  add_set(app, exit_code);
}

} // namespace ke::cli
