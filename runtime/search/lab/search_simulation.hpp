#pragma once

#include "runtime/core/journal.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// The end of one candidate in a simulated campaign.
struct simulated_outcome {
  verdict_state state = verdict_state::correct;
  double score = 1; ///< used if correct; per target it is multiplied by a little noise
};

/// A world for the search to explore: the outcome of a new node, given its place. Called once per node, in
/// order of completion.
using landscape =
    std::function<simulated_outcome(const search_tree& core, std::uint32_t node, random_source& random)>;

/// A hilly landscape with traps. Each draft opens a branch with a ceiling of its own; children move around
/// their parent in log space, never above the ceiling. A share of them fails; repairs mostly succeed. The
/// best branch reaches `top`.
landscape hills(std::uint64_t seed, double top = 4, double failure_rate = 0.3);

struct simulation_settings {
  std::uint64_t seed = 1;        ///< of the world and of the order of events, not of the search
  double failed_requests = 0.1;  ///< share of tries that are retried
  double useless_answers = 0.05; ///< share of answers without code; twice in a row ends the node
  double duplicates = 0.05;      ///< share of answers that repeat an earlier source
  double cancelled = 0.01;
  double several = 0.05;   ///< share of answers that hold three candidates
  double templates = 0.05; ///< share of answers that are templates, of 4 x 4 points
};

/// Drives a campaign's pure core without actors, models or devices. Writes the records of a live campaign in
/// the same order, with up to [search] parallel nodes in flight that finish in random order. For tests and
/// `bench search`.
class search_simulation {
public:
  /// `settings` must be valid: std::invalid_argument otherwise.
  search_simulation(campaign_settings settings, landscape world, simulation_settings how = {});

  /// One event: a step if there is room, else something happens to a node in flight. False: nothing can
  /// happen any more.
  bool advance();
  /// Events until `stop` gives a reason or nothing can happen; the reason.
  std::string run();
  /// Continues a campaign from its journal, as after a crash: open calls become unknown, open nodes are
  /// driven again.
  static search_simulation resume(std::vector<journal_record> journal, landscape world,
                                  simulation_settings how);

  const campaign_fold& fold() const { return fold_; }
  const std::vector<journal_record>& journal() const { return journal_; }

private:
  struct flight {
    std::uint32_t tree = 0, node = 0, attempt = 0;
    enum { planned, asked, answered } at = planned;
    std::uint32_t target = 0;
    std::uint32_t duplicate_of = no_node;
    simulated_outcome outcome;
  };
  search_simulation(landscape world, simulation_settings how)
      : world_{std::move(world)}, how_{how}, random_{how.seed, 77} {}
  template <class Record>
  void commit(journal_kind kind, const Record& r);
  bool step();
  void happen(std::size_t which);
  void ask(std::size_t which);
  void reply(std::size_t which);
  void judge(std::size_t which);
  void land(std::size_t which);
  void answer(std::size_t which, const journal_replied& r);

  landscape world_;
  simulation_settings how_;
  random_source random_;
  campaign_fold fold_;
  std::vector<journal_record> journal_;
  std::vector<flight> flights_;
  std::uint32_t next_tree_ = 0;
  std::uint64_t clock_ms_ = 0;
};

/// CPU microseconds of one search step (choose, make the child, update the index), by size of a tree grown
/// over `hills`. Steps are taken 64 at a time and averaged over at least 1,024 from each size on: reading the
/// clock costs nothing.
struct step_timing {
  std::map<std::uint32_t, double> select_us;
  std::map<std::uint32_t, double> depth; ///< mean level of the nodes that these steps made
  std::size_t bytes = 0;                 ///< of the search tree at the end
  std::uint32_t nodes = 0;
  std::uint32_t deepest = 0;
};
result<step_timing> time_steps(const search_settings& search, std::vector<std::uint32_t> sizes,
                               std::uint64_t seed = 1);

} // namespace ke
