#include "config/campaign_file.hpp"
#include "runtime/core/settings.hpp"

namespace ke {
namespace {

constexpr double day_s = 86400;

// Each of these makes, of a member, where a key's value lies. The settings outlive it.

auto slots_of(campaign_settings& s) {
  return [&s](auto member) { return [&s, member](std::size_t) -> value_slot { return &member(s); }; };
}

auto choices_of(campaign_settings& s) {
  return
      [&s](auto member) { return [&s, member](std::size_t) -> value_slot { return choice_of(member(s)); }; };
}

auto target_slots_of(campaign_settings& s) {
  return [&s](auto member) {
    return [&s, member](std::size_t i) -> value_slot { return &(s.targets.at(i).*member); };
  };
}

auto model_slots_of(campaign_settings& s) {
  return [&s](auto member) {
    return [&s, member](std::size_t i) -> value_slot { return &(s.models.at(i).*member); };
  };
}

/// [campaign] and [problem]
void campaign_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);

  keys.push_back(
      {"campaign.name", "The campaign's name in its store.", of([](auto& x) -> auto& { return x.name; })});
  keys.push_back({.path = "campaign.store",
                  .doc = "The folder that keeps everything: one store, many campaigns, shared knowledge.",
                  .at = of([](auto& x) -> auto& { return x.store; }),
                  .path_of_file = true,
                  .default_text = "\"~/.local/share/ke-runtime\""});
  keys.push_back({"campaign.seed", "Seeds every random choice of the search.",
                  of([](auto& x) -> auto& { return x.seed; })});

  keys.push_back({.path = "problem.path",
                  .doc = "What to make fast: a problem.toml or a KernelBench .py file.",
                  .at = of([](auto& x) -> auto& { return x.problem_path; }),
                  .required = true,
                  .path_of_file = true});
}

/// [goal]
void goal_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);

  keys.push_back({.path = "goal.target_speedup",
                  .doc = "Stop when the proven speedup over the baseline reaches this (geometric mean of the "
                         "workloads); 0: no goal.",
                  .at = of([](auto& x) -> auto& { return x.goal.target_speedup; }),
                  .most = 1e6});
  keys.push_back({.path = "goal.floor",
                  .doc = "A candidate is not claimed if a workload's whole interval lies below this speedup, "
                         "held-out workloads included; 0: no floor.",
                  .at = of([](auto& x) -> auto& { return x.goal.floor; }),
                  .most = 1});
  keys.push_back(
      {.path = "goal.baseline",
       .doc =
           "What candidates are compared with. reference: the problem's own. eager, compile: the same as "
           "PyTorch runs it, directly or through torch.compile. best-known: the store's best proven solution "
           "for this problem and device, measured again. file:PATH: a source that could be a candidate.",
       .at = [&s](std::size_t) -> value_slot { return choice_of(s.goal.baseline, &s.goal.baseline_file); }});
  keys.push_back(
      {"goal.timed", "false: only correctness counts.", of([](auto& x) -> auto& { return x.goal.timed; })});
}

/// [budget]
void budget_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);

  keys.push_back({.path = "budget.candidates",
                  .doc = "Most candidates: those that models write and those from earlier campaigns. The "
                         "campaign ends when its first budget is used up.",
                  .at = of([](auto& x) -> auto& { return x.budget.candidates; }),
                  .least = 1,
                  .most = 100e6});
  keys.push_back({.path = "budget.tune_candidates",
                  .doc = "Most points of templates. They ask no model and are counted apart. When they are "
                         "used up, the campaign goes on without them; 0: none.",
                  .at = of([](auto& x) -> auto& { return x.budget.tune_candidates; }),
                  .most = 100e6});
  keys.push_back({"budget.wall_hours", "Hours of running time, pauses not counted; 0: no limit.",
                  of([](auto& x) -> auto& { return x.budget.wall_hours; })});
  keys.push_back({"budget.device_hours", "Hours of building and measuring, summed over devices; 0: no limit.",
                  of([](auto& x) -> auto& { return x.budget.device_hours; })});
  keys.push_back({"budget.usd", "US dollars for models, by the price tables; 0: no limit.",
                  of([](auto& x) -> auto& { return x.budget.usd; })});
  keys.push_back({"budget.tokens", "Input and output tokens of all models; 0: no limit.",
                  of([](auto& x) -> auto& { return x.budget.tokens; })});
  keys.push_back({.path = "budget.requests",
                  .doc = "Calls to models, retries included; 0: no limit.",
                  .at = of([](auto& x) -> auto& { return x.budget.requests; }),
                  .most = 1e9});
  keys.push_back({.path = "budget.fruitless",
                  .doc = "A model is set aside after this many paid answers in a row without a candidate. "
                         "When the last model is set aside, the campaign pauses; 0: never.",
                  .at = of([](auto& x) -> auto& { return x.budget.fruitless; }),
                  .most = 1e6});
  keys.push_back({.path = "budget.stall.candidates",
                  .doc = "Stop after this many judged candidates without a gain; 0: never.",
                  .at = of([](auto& x) -> auto& { return x.budget.stall_candidates; }),
                  .most = 100e6});
  keys.push_back({.path = "budget.stall.min_gain",
                  .doc = "Smallest relative gain of the best score that counts: 0.01 is one per cent.",
                  .at = of([](auto& x) -> auto& { return x.budget.stall_min_gain; }),
                  .most = 10});
}

/// [[target]]
void target_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto target = target_slots_of(s);

  all.lists.push_back({"target", [&s] { return s.targets.emplace_back(), s.targets.size() - 1; },
                       [&s] { return s.targets.size(); }});
  keys.push_back({"target.backend", "Hardware and language; `ke-runtime doctor` lists what this machine has.",
                  target(&target_settings::backend)});
  keys.push_back({"target.device", "A pattern (* and ?) over the device names that workers announce.",
                  target(&target_settings::device)});
}

/// [search]: what every policy has
void search_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);
  auto choice = choices_of(s);

  keys.push_back({"search.policy", "How the next parent is chosen.",
                  choice([](auto& x) -> auto& { return x.search.policy; })});
  keys.push_back({.path = "search.drafts",
                  .doc = "Candidates written from the problem alone before any is improved.",
                  .at = of([](auto& x) -> auto& { return x.search.drafts; }),
                  .least = 1,
                  .most = 1e6});
  keys.push_back({.path = "search.parallel",
                  .doc = "Nodes in flight: asked, building and measuring together.",
                  .at = of([](auto& x) -> auto& { return x.search.parallel; }),
                  .least = 1,
                  .most = 1e6});
  keys.push_back({.path = "search.ramp",
                  .doc = "At most 4 + ended / ramp nodes in flight: early candidates learn from each other, "
                         "so that fewer are needed, but slots are idle; 0: off.",
                  .at = of([](auto& x) -> auto& { return x.search.ramp; }),
                  .most = 1e6});
  keys.push_back({.path = "search.exploration",
                  .doc = "Weight of the unknown against the best so far (mcts).",
                  .at = of([](auto& x) -> auto& { return x.search.exploration; }),
                  .most = 1000});
  keys.push_back({"search.ensemble", "How a model is picked when there are several.",
                  choice([](auto& x) -> auto& { return x.search.ensemble; })});
  keys.push_back({"search.memory", "Which earlier candidates a prompt shows.",
                  choice([](auto& x) -> auto& { return x.search.memory; })});
  keys.push_back(
      {.path = "search.resample",
       .doc = "An answer that repeats a judged candidate, but for comments, blanks and names of local "
              "variables, is not judged: its model is asked again, this many times at most; 0: never.",
       .at = of([](auto& x) -> auto& { return x.search.resample; }),
       .most = 16});
}

/// [search]: what some policies have
void policy_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);
  auto choice = choices_of(s);

  keys.push_back({"search.rule", "How mcts looks for the next parent: over all nodes at once, or by descent.",
                  choice([](auto& x) -> auto& { return x.search.rule; })});
  keys.push_back({"search.backup", "What a branch is worth: its best candidate, or the mean of all (uct).",
                  choice([](auto& x) -> auto& { return x.search.backup; })});
  keys.push_back({.path = "search.restart",
                  .doc = "Most judged candidates without a gain before a new start (all policies but "
                         "best-of-n); never more than half of budget.stall.candidates; 0: no new starts.",
                  .at = of([](auto& x) -> auto& { return x.search.restart; }),
                  .most = 1e9});
  keys.push_back({.path = "search.warm_start",
                  .doc = "A new campaign begins with at most this many solutions of earlier campaigns in its "
                         "store, for problems of the same family; 0: none.",
                  .at = of([](auto& x) -> auto& { return x.search.warm_start; }),
                  .most = 64});
  keys.push_back({.path = "search.islands",
                  .doc = "Most populations side by side (evolution).",
                  .at = of([](auto& x) -> auto& { return x.search.islands; }),
                  .least = 1,
                  .most = 64});
  keys.push_back({.path = "search.population",
                  .doc = "Candidates that an island keeps as parents (evolution).",
                  .at = of([](auto& x) -> auto& { return x.search.population; }),
                  .least = 2,
                  .most = 1024});
  keys.push_back(
      {"search.cells",
       "Axes of the archive of different candidates that an island keeps beside its best (evolution): "
       "kind (of the source), bottleneck, roofline (the reached share of the machine's limit), score. "
       "What was not measured has a bin of its own on each.",
       of([](auto& x) -> auto& { return x.search.cells; })});
  keys.push_back({.path = "search.crossover",
                  .doc = "Share of the children that have two parents (mcts with rank-puct, evolution).",
                  .at = of([](auto& x) -> auto& { return x.search.crossover; }),
                  .most = 1});
  keys.push_back({.path = "search.beam",
                  .doc = "How many of the best are expanded in turn (beam).",
                  .at = of([](auto& x) -> auto& { return x.search.beam; }),
                  .least = 1,
                  .most = 4096});
}

/// [search]: how changes of a parent are asked for
void change_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);

  keys.push_back(
      {.path = "search.edits",
       .doc = "Share of the changes of a parent that are asked for as edits (SEARCH/REPLACE); what edits "
              "and rewrites leave is the model's choice.",
       .at = of([](auto& x) -> auto& { return x.search.edits; }),
       .most = 1});
  keys.push_back({.path = "search.rewrites",
                  .doc = "Share of the changes of a parent that are asked for as a whole new source.",
                  .at = of([](auto& x) -> auto& { return x.search.rewrites; }),
                  .most = 1});
}

/// [[model]]: who it is, and what it costs
void model_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto model = model_slots_of(s);

  all.lists.push_back({"model", [&s] { return s.models.emplace_back(), s.models.size() - 1; },
                       [&s] { return s.models.size(); }});
  keys.push_back({.path = "model.name",
                  .doc = "The model's name in trees, reports and --set.",
                  .at = model(&model_settings::name),
                  .default_text = "the provider's name"});
  keys.push_back({"model.provider", "Who answers the prompts.",
                  [&s](std::size_t i) -> value_slot { return choice_of(s.models.at(i).provider); }});
  keys.push_back({"model.model", "The provider's own name of the model (openai, anthropic).",
                  model(&model_settings::model)});
  keys.push_back({"model.base_url",
                  "Where the server is, e.g. \"http://127.0.0.1:8000/v1\" (openai, anthropic).",
                  model(&model_settings::base_url)});
  keys.push_back({.path = "model.timeout_s",
                  .doc = "Seconds for the whole request.",
                  .at = model(&model_settings::timeout_s),
                  .least = 0.001,
                  .most = 30 * day_s});
  keys.push_back({"model.api_key_env",
                  "The environment variable that holds the key; the key itself never stands in a file.",
                  model(&model_settings::api_key_env)});
  keys.push_back({"model.command",
                  "The program and its arguments; prompt on stdin, answer on stdout (command).",
                  model(&model_settings::command)});
  keys.push_back({.path = "model.dir",
                  .doc = "The folder of prompts and answers (spool), or of recorded answers (replay).",
                  .at = model(&model_settings::dir),
                  .path_of_file = true});
  keys.push_back({.path = "model.weight",
                  .doc = "Share of the requests; 0: none.",
                  .at = model(&model_settings::weight),
                  .most = 1e6});
  keys.push_back({.path = "model.max_parallel",
                  .doc = "Requests in flight at this model.",
                  .at = model(&model_settings::max_parallel),
                  .least = 1,
                  .most = 100000});
  keys.push_back({.path = "model.price.input",
                  .doc = "USD per million input tokens.",
                  .at = model(&model_settings::price_input),
                  .most = 1e6});
  keys.push_back({.path = "model.price.output",
                  .doc = "USD per million output tokens.",
                  .at = model(&model_settings::price_output),
                  .most = 1e6});
}

/// [[model]]: limits of one answer
void model_limit_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto model = model_slots_of(s);

  keys.push_back({.path = "model.max_tokens",
                  .doc = "Tokens of one answer; bounds what one request may cost.",
                  .at = model(&model_settings::max_tokens),
                  .least = 1,
                  .most = 10e6});
  keys.push_back({.path = "model.context_tokens",
                  .doc = "Tokens of prompt and answer together. A prompt gets what `max_tokens` leaves; a "
                         "longer one loses its least valuable sections.",
                  .at = model(&model_settings::context_tokens),
                  .least = 2048,
                  .most = 100e6});
  keys.push_back({.path = "model.connect_timeout_s",
                  .doc = "Seconds to reach the server.",
                  .at = model(&model_settings::connect_timeout_s),
                  .least = 0.001,
                  .most = day_s});
  keys.push_back({.path = "model.first_byte_timeout_s",
                  .doc = "Seconds from the request to the answer's first byte.",
                  .at = model(&model_settings::first_byte_timeout_s),
                  .least = 0.001,
                  .most = day_s});
  keys.push_back({.path = "model.stall_timeout_s",
                  .doc = "Longest silence within an answer, in seconds.",
                  .at = model(&model_settings::stall_timeout_s),
                  .least = 0.001,
                  .most = day_s});
  keys.push_back({.path = "model.max_answer_bytes",
                  .doc = "An answer over this size is cut off and counts as too large.",
                  .at = model(&model_settings::max_answer_bytes),
                  .least = 1024,
                  .most = 1 << 30});
}

/// [cluster]
void cluster_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);

  keys.push_back({"cluster.listen",
                  "Where workers attach, e.g. \"tcp://0.0.0.0:7717\"; absent: this machine alone.",
                  of([](auto& x) -> auto& { return x.cluster.listen; })});
  keys.push_back({"cluster.local_worker", "Start a worker on this machine, too.",
                  of([](auto& x) -> auto& { return x.cluster.local_worker; })});
  keys.push_back({.path = "cluster.key",
                  .doc = "The coordinator's secret key, made by `ke-runtime keygen`.",
                  .at = of([](auto& x) -> auto& { return x.cluster.key; }),
                  .path_of_file = true});
  keys.push_back({.path = "cluster.authorized_keys",
                  .doc = "A folder of .pub files: the workers that may attach; re-read on change.",
                  .at = of([](auto& x) -> auto& { return x.cluster.authorized_keys; }),
                  .path_of_file = true});
  keys.push_back(
      {.path = "cluster.client_keys",
       .doc = "A folder of .pub files: who may submit and steer; those in its subfolder `trusted` may "
              "also name programs, folders and keys of this machine.",
       .at = of([](auto& x) -> auto& { return x.cluster.client_keys; }),
       .path_of_file = true});
  keys.push_back({"cluster.allow_simulated",
                  "Admit workers whose devices are simulated; `ke-runtime worker` has none in this version.",
                  of([](auto& x) -> auto& { return x.cluster.allow_simulated; })});
}

/// [knowledge] and [agents]
void knowledge_keys(schema& all, campaign_settings& s) {
  auto& keys = all.keys;
  auto of = slots_of(s);

  keys.push_back({"knowledge.embeddings.base_url",
                  "An embeddings server for retrieval; absent: documents are found by words alone.",
                  of([](auto& x) -> auto& { return x.embeddings.base_url; })});
  keys.push_back(
      {"knowledge.embeddings.model", "Its model.", of([](auto& x) -> auto& { return x.embeddings.model; })});
  keys.push_back({"knowledge.embeddings.api_key_env", "The environment variable that holds its key.",
                  of([](auto& x) -> auto& { return x.embeddings.api_key_env; })});

  keys.push_back({"agents.memory",
                  "The [[model]] that sums up how a candidate came about, if many steps led to it; absent: a "
                  "rule does it.",
                  of([](auto& x) -> auto& { return x.agents.memory; })});
  keys.push_back({"agents.research",
                  "The [[model]] that looks up documents for a diagnosis; absent: a rule does it.",
                  of([](auto& x) -> auto& { return x.agents.research; })});
  keys.push_back({.path = "agents.share",
                  .doc = "Most that these two models may take of all tokens spent or reserved.",
                  .at = of([](auto& x) -> auto& { return x.agents.share; }),
                  .least = 0,
                  .most = 1});
}

} // namespace

schema campaign_schema(campaign_settings& s) {
  schema all;
  campaign_keys(all, s);
  goal_keys(all, s);
  budget_keys(all, s);
  target_keys(all, s);
  search_keys(all, s);
  policy_keys(all, s);
  change_keys(all, s);
  model_keys(all, s);
  model_limit_keys(all, s);
  cluster_keys(all, s);
  knowledge_keys(all, s);
  all.later = {
      {"budget.per_model", "usd, tokens and candidates are budgets of all models together"},
      {"cluster.require_sandbox",
       "`ke-runtime worker --sandbox full` makes a worker refuse to run with less"},
      {"pool", "start workers with `ke-runtime worker --connect`; they may come and go"},
      {"retention", "`ke-runtime store compact` makes a store smaller"},
      {"notify", "`--ui json` tells every event as a line, `ke-runtime status --json` the state"},
      {"ui", "look with `ke-runtime status --watch`, `--ui` or `ke-runtime report`"},
  };
  return all;
}

std::string settings_text(const campaign_settings& settings) {
  auto copy = settings;
  return schema_text(campaign_schema(copy), false);
}

std::string reference_text() {
  campaign_settings defaults;
  defaults.targets.emplace_back();
  defaults.models.emplace_back();
  defaults.store = "~/.local/share/ke-runtime";
  defaults.budget.fruitless = usual_fruitless;
  defaults.problem_path = "problems/softmax/problem.toml";
  return schema_text(campaign_schema(defaults), true);
}

} // namespace ke
