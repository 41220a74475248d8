#include "runtime/core/journal_record.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/lab/what_if_replay.hpp"
#include "runtime/text/json_line.hpp"

#include "interface/cli/access.hpp"
#include "interface/cli/campaign_view.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/number_check.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

/// What the command line changes in the recorded settings; empty: as recorded.
struct changes {
  std::string policy, memory, ensemble;
  std::optional<double> exploration;
  std::optional<std::int64_t> drafts, parallel;
  std::optional<std::uint64_t> seed;
  std::uint64_t evaluations = 0;
  bool json = false;
};

template <class E>
status replace(E& into, const std::string& text, const char* option) {
  if (text.empty())
    return ok;
  auto value = parse_name<E>(text);
  if (!value) {
    std::string known;
    for (auto name : names_of<E>::value)
      known += (known.empty() ? "" : ", ") + std::string{name};
    return failure{failure_kind::invalid,
                   std::string{option} + " " + text + " is unknown; there are: " + known};
  }
  into = *value;
  return ok;
}

result<campaign_settings> changed(campaign_settings s, const changes& c) {
  if (auto done = replace(s.search.policy, c.policy, "--policy"); !done)
    return done.error();
  if (auto done = replace(s.search.memory, c.memory, "--memory"); !done)
    return done.error();
  if (auto done = replace(s.search.ensemble, c.ensemble, "--ensemble"); !done)
    return done.error();
  s.search.exploration = c.exploration.value_or(s.search.exploration);
  s.search.drafts = c.drafts.value_or(s.search.drafts);
  s.search.parallel = c.parallel.value_or(s.search.parallel);
  s.seed = c.seed.value_or(s.seed);
  return s;
}

json settings_json(const campaign_settings& s) {
  return {{"policy", to_text(s.search.policy)},
          {"exploration", s.search.exploration},
          {"memory", to_text(s.search.memory)},
          {"drafts", s.search.drafts},
          {"ensemble", to_text(s.search.ensemble)},
          {"parallel", s.search.parallel},
          {"seed", s.seed}};
}

json best_json(std::uint64_t evaluations, const std::vector<best_so_far>& steps,
               const std::function<std::uint64_t(std::uint32_t)>& id) {
  json j{{"evaluations", evaluations}, {"best", nullptr}};
  if (!steps.empty())
    j["best"] = {{"node", id(steps.back().node)},
                 {"score", steps.back().score},
                 {"evaluations", steps.back().evaluations}};
  return j;
}

json tree_json(const campaign_view& c, std::uint32_t number, const what_if_tree& t) {
  auto id = [&](std::uint32_t node) { return c.public_id(number, node); };
  auto levels = json::array();
  for (const auto& b : t.recorded) {
    auto reached = t.evaluations_to(b.score);
    levels.push_back({{"score", b.score},
                      {"node", id(b.node)},
                      {"recorded_evaluations", b.evaluations},
                      {"what_if_evaluations", reached ? json(*reached) : json(nullptr)}});
  }
  return {{"backend", t.backend},
          {"recorded", best_json(t.recorded_evaluations, t.recorded, id)},
          {"what_if", best_json(t.evaluations, t.replayed, id)},
          {"coverage",
           {{"share", t.coverage()},
            {"selections", t.selections},
            {"covered", t.covered()},
            {"closed", t.closed},
            {"unused_outcomes", t.unused}}},
          {"stopped", t.stopped},
          {"levels", levels}};
}

std::string best_text(const campaign_view& c, std::uint32_t number, const std::vector<best_so_far>& steps) {
  if (steps.empty())
    return "nothing correct";
  const auto& b = steps.back();
  return "score " + fixed(b.score, 3) + " (node " + std::to_string(c.public_id(number, b.node)) + ") after " +
         count_text(b.evaluations) + " evaluations";
}

void print_tree(const campaign_view& c, std::uint32_t number, const what_if_tree& t) {
  std::cout << t.backend << ": " << count_text(t.covered()) << " of " << count_text(t.selections)
            << " selections are covered by the record (" << percent_text(t.coverage()) << "), "
            << count_text(t.closed) << " met a branch that had no recorded child left; "
            << count_text(t.unused) << " outcomes were not used. It ended: " << t.stopped << ".\n"
            << "  best found: " << best_text(c, number, t.replayed) << '\n'
            << "  recorded:   " << best_text(c, number, t.recorded) << '\n';
  if (!t.recorded.empty())
    std::cout << "  score        node    recorded     what-if   (evaluations until the best was as good)\n";
  for (const auto& b : t.recorded) {
    auto reached = t.evaluations_to(b.score);
    auto cell = [](const std::string& text, std::size_t width) {
      return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
    };
    std::cout << "  " << fixed(b.score, 3) << cell(std::to_string(c.public_id(number, b.node)), 12)
              << cell(count_text(b.evaluations), 12) << cell(reached ? count_text(*reached) : "never", 12)
              << '\n';
  }
}

/// What the campaign's journal tells of its candidates' ends.
result<recorded_outcomes> outcomes_of(const campaign_view& c) {
  recorded_outcomes outcomes;
  status wrong = ok;
  auto read = c.store().journal(c.id(), 0, [&](std::uint64_t sequence, const journal_record& record) {
    if (sequence >= c.fold().records()) // the owner has gone on meanwhile
      return false;
    wrong = outcomes.add(record);
    return static_cast<bool>(wrong);
  });
  if (!read)
    return read.error();
  if (!wrong)
    return wrong.error();
  return outcomes;
}

int what_if(const access_options& where, const changes& wanted) {
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto row = wanted_campaign(*a, "what-if");
  if (!row)
    return complain(row.error());
  auto c = campaign_view::open(*a->store, *row);
  if (!c)
    return complain(c.error());
  auto other = changed(c->settings(), wanted);
  if (!other)
    return complain(other.error());
  auto outcomes = outcomes_of(*c);
  if (!outcomes)
    return complain(outcomes.error());
  auto trees = replay_policy(c->fold(), *outcomes, *other, wanted.evaluations);
  if (!trees)
    return complain(trees.error());
  if (wanted.json) {
    auto all = json::array();
    for (std::uint32_t t = 0; t < trees->size(); ++t)
      all.push_back(tree_json(*c, t, (*trees)[t]));
    std::cout << json_line(json{{"campaign", c->name()},
                                {"recorded", settings_json(c->settings())},
                                {"what_if", settings_json(*other)},
                                {"trees", all}})
              << '\n';
    return exit_done;
  }
  std::cout << "what if " << c->name() << " had searched by " << to_text(other->search.policy)
            << " (recorded: " << to_text(c->settings().search.policy) << ")\n";
  for (std::uint32_t t = 0; t < trees->size(); ++t)
    print_tree(*c, t, (*trees)[t]);
  return exit_done;
}

} // namespace

void add_what_if(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "what-if", "Rerun another policy over the recorded answers and verdicts: no model, no device");
  auto where = add_access(*command);
  auto wanted = std::make_shared<changes>();
  command->add_option("--policy", wanted->policy, "mcts, evolution, beam, greedy or best-of-n")
      ->required()
      ->type_name("P");
  command->add_option("--exploration", wanted->exploration, "[search] exploration")
      ->type_name("C")
      ->check(key_check("search.exploration"));
  command
      ->add_option("--memory", wanted->memory,
                   "[search] memory: recorded children with this memory are taken first")
      ->type_name("M");
  command->add_option("--ensemble", wanted->ensemble, "[search] ensemble")->type_name("E");
  command->add_option("--drafts", wanted->drafts, "[search] drafts")
      ->type_name("N")
      ->check(key_check("search.drafts"));
  command->add_option("--parallel", wanted->parallel, "Nodes in flight; the oldest ends first")
      ->type_name("N")
      ->check(key_check("search.parallel"));
  command->add_option("--seed", wanted->seed, "Seed of the policy (default: the campaign's)")
      ->type_name("N")
      ->check(key_check("campaign.seed"));
  command->add_option("--evaluations", wanted->evaluations, "Most candidates to take")
      ->type_name("N")
      ->check(key_check("budget.candidates"));
  command->add_flag("--json", wanted->json, "One JSON document");
  command->footer("Example: ke-runtime what-if --policy greedy --config campaign.toml");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return what_if(*where, *wanted); }); });
}

} // namespace ke::cli
