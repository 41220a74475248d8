#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/search_kinds.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

struct target_settings {
  std::string backend = "cpu-cpp";
  std::string device = "*"; ///< glob over what workers announce
};
KE_FIELDS(target_settings, x.backend, x.device)

enum class baseline_kind : std::uint8_t { reference, eager, compile, best_known, file };
KE_NAMES(baseline_kind, 5, "reference", "eager", "compile", "best-known", "file:")

struct goal_settings {
  double target_speedup = 0; ///< 0: none
  baseline_kind baseline = baseline_kind::reference;
  bool timed = true;
  double floor = 0.95;       ///< of each workload's speedup, by its interval; 0: none
  std::string baseline_file; ///< with `file`: the source that candidates are compared with
};
KE_FIELDS(goal_settings, x.target_speedup, x.baseline, x.timed, x.floor, x.baseline_file)
KE_OPTIONAL_TAIL(goal_settings, 2)

/// 0 means no limit. But `candidates` always has one, and 0 `tune_candidates` means none.
struct budget_settings {
  std::int64_t candidates = 500;
  double wall_hours = 0;
  double device_hours = 0;
  double usd = 0;
  std::int64_t tokens = 0;
  std::int64_t stall_candidates = 0;
  double stall_min_gain = 0.01;
  std::int64_t requests = 0;          ///< to models, retries included
  std::int64_t fruitless = 0;         ///< answers in a row; 0: never (a file's default is another: config/)
  std::int64_t tune_candidates = 400; ///< points of templates: no model is asked for them
};
KE_FIELDS(budget_settings, x.candidates, x.wall_hours, x.device_hours, x.usd, x.tokens, x.stall_candidates,
          x.stall_min_gain, x.requests, x.fruitless, x.tune_candidates)

enum class tree_rule_kind : std::uint8_t { rank_puct, uct };
KE_NAMES(tree_rule_kind, 2, "rank-puct", "uct")
enum class backup_kind : std::uint8_t { max, mean };
KE_NAMES(backup_kind, 2, "max", "mean")

struct search_settings {
  policy_kind policy = policy_kind::mcts;
  std::int64_t drafts = 8;
  std::int64_t parallel = 8;
  double exploration = 0.5;
  ensemble_kind ensemble = ensemble_kind::weights;
  memory_kind memory = memory_kind::adaptive;
  tree_rule_kind rule = tree_rule_kind::rank_puct; ///< mcts
  backup_kind backup = backup_kind::max;           ///< mcts by uct
  std::int64_t restart = 256;  ///< most verdicts without a gain before a new start; 0: no new starts
  std::int64_t islands = 4;    ///< evolution: at most
  std::int64_t population = 4; ///< evolution: of an island
  double crossover = 0.2;      ///< mcts, evolution: share of children with two parents
  std::int64_t beam = 8;       ///< beam: its width
  std::int64_t warm_start = 2; ///< solutions of earlier campaigns to begin with, at most; 0: none
  std::int64_t ramp = 0;       ///< in flight in a tree: at most 4 + ended / ramp; 0: no such limit
  /// Further questions for a candidate that repeats a judged one (a file's default is another: config/).
  std::int64_t resample = 0;
  std::vector<std::string> cells = {"kind"}; ///< evolution: axes of its archive (cell_axis)
  double edits = 0;                          ///< share of the changes asked for as edits of the parent
  double rewrites = 0;                       ///< and as whole sources; the rest is the model's choice
};
KE_FIELDS(search_settings, x.policy, x.drafts, x.parallel, x.exploration, x.ensemble, x.memory, x.rule,
          x.backup, x.restart, x.islands, x.population, x.crossover, x.beam, x.warm_start, x.ramp, x.resample,
          x.cells, x.edits, x.rewrites)
KE_OPTIONAL_TAIL(search_settings, 4)

struct cluster_settings {
  std::string listen;
  bool local_worker = true;
  std::string key;
  std::string authorized_keys;
  std::string client_keys;
  bool allow_simulated = false;
};
KE_FIELDS(cluster_settings, x.listen, x.local_worker, x.key, x.authorized_keys, x.client_keys,
          x.allow_simulated)

struct ui_settings {
  std::string listen;
};
KE_FIELDS(ui_settings, x.listen)

/// Sub-agents that prepare prompts, each a model's name; empty: done by rule alone.
struct agent_settings {
  std::string memory;   ///< sums up the steps that led to a candidate
  std::string research; ///< looks up the documents for a diagnosis
  double share = 0.1;   ///< most that the two may take of all tokens spent or held by the campaign
};
KE_FIELDS(agent_settings, x.memory, x.research, x.share)

/// The resolved campaign.toml: every key of product.md with its default. `config/` fills it; it is stored
/// with the campaign.
struct campaign_settings {
  std::string name = "campaign";
  std::string store; ///< absolute path
  std::uint64_t seed = 0;
  std::string problem_path; ///< as written, resolved against the file's folder
  goal_settings goal;
  budget_settings budget;
  std::vector<target_settings> targets;
  search_settings search;
  std::vector<model_settings> models;
  cluster_settings cluster;
  ui_settings ui;
  embedding_settings embeddings;
  agent_settings agents;
};
KE_FIELDS(campaign_settings, x.name, x.store, x.seed, x.problem_path, x.goal, x.budget, x.targets, x.search,
          x.models, x.cluster, x.ui, x.embeddings, x.agents)

/// Most tokens of a prompt to this model; 0: no limit, because it reads the ke-task block alone.
std::uint64_t prompt_budget(const campaign_settings& settings, const std::string& model);

} // namespace ke
