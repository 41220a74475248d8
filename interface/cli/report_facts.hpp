#pragma once

#include "interface/cli/campaign_view.hpp"
#include "interface/cli/report_effort.hpp"
#include "interface/cli/shape_bests.hpp"
#include "interface/cli/winners.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

/// The cost of a part of the campaign.
struct cost_share {
  std::uint64_t nodes = 0;
  std::uint64_t correct = 0;
  std::uint64_t input_tokens = 0, output_tokens = 0;
  double usd = 0;
  double device_s = 0;
  double best = 0; ///< highest score; 0: none
};

/// A best-so-far candidate with its interval.
struct report_step {
  winner won;
  double speedup = 0, low = 0, high = 0;
  bool timed = false; ///< the three above are measured
};

/// A verdict in time: a dot of the plot.
struct report_dot {
  std::uint64_t ms = 0;
  std::uint64_t candidates = 0; ///< verdicts so far
  double score = 0;
  bool correct = false;
};

struct report_tree_node {
  std::uint64_t id = 0;
  std::vector<std::uint32_t> children; ///< indices into `tree` of those shown
  std::uint64_t hidden = 0;            ///< children left out, with all below them
  node_state state = node_state::planned;
  timing_decision decision = timing_decision::none;
  std::optional<double> score;
  std::string model, note;
  bool to_winner = false; ///< on the path from the root to the best node
};

/// A node and what the report says of it.
struct report_node {
  node_view view;
  std::optional<verdict> found;
  std::string source;
  std::string report; ///< what changed, result, bottleneck, next idea
};

/// All facts of a campaign's part of the report. Bounded: many dots and tree nodes are thinned out.
struct report_facts {
  campaign_row row;
  campaign_settings settings;
  ke::problem problem;
  std::string store_id, store_dir, version;
  std::vector<report_step> steps;
  std::vector<report_dot> dots;
  std::vector<report_tree_node> tree; ///< roots first, one per backend
  std::uint64_t tree_size = 0;
  std::uint64_t judged = 0;
  std::uint64_t compiled = 0; ///< of these: not executed
  std::optional<report_node> best, parent;
  std::string second;     ///< what a second device says of the claim; empty: none was asked
  bool claimed = false;   ///< a claim has confirmed the best: `best->found` is the claim's
  std::string below;      ///< the best's workload below the goal's floor; empty: none
  std::string dispatcher; ///< of the best: which kernel computes which shapes; empty: it is one kernel
  std::vector<shape_best> shapes; ///< the best on each workload
  std::map<std::string, cost_share> by_model, by_state;
  cost_share all;
  std::map<std::string, model_effort> effort; ///< by model; "" together
  std::optional<std::uint64_t> first_correct_ms, best_ms;
};

result<report_facts> report_facts_of(const campaign_view& campaign);

} // namespace ke::cli
