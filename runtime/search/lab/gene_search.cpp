#include "runtime/search/lab/gene_search.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/search_tree.hpp"
#include "runtime/search/lab/gene_model.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace ke {

namespace {

struct landing {
  double time = 0;
  std::uint32_t node = 0;
  bool operator>(const landing& o) const { return time != o.time ? time > o.time : node > o.node; }
};

template <class Number>
double median_of(std::vector<Number> all) {
  if (all.empty())
    return 0;
  std::sort(all.begin(), all.end());
  auto n = all.size();
  return (static_cast<double>(all[(n - 1) / 2]) + static_cast<double>(all[n / 2])) / 2;
}

/// A campaign's scores are positive ratios to a reference. Here the reference is the mean random vector, and a
/// standard deviation is a factor of two: order is kept, and noise is relative, as that of a timing is.
struct gene_scale {
  double middle, unit;

  explicit gene_scale(const gene_landscape& world)
      : middle{world.mean()}, unit{std::max(world.deviation(), 1e-9)} {}
  double score_of(double worth) const { return std::exp2(std::clamp((worth - middle) / unit, -60.0, 60.0)); }
};

/// One run of a search over a landscape of genes, in virtual time.
class gene_flight {
public:
  gene_flight(const gene_landscape& world, const gene_scale& scale, search_tree tree, std::uint64_t seed)
      : world_{world}, scale_{scale}, tree_{std::move(tree)}, model_{world}, seed_{seed} {}

  /// Begins candidates until so many are in flight. False: none is.
  bool fill(std::uint32_t in_flight) {
    while (flying_.size() < in_flight) {
      auto begun = tree_.step(1);
      if (begun.empty())
        break;
      const auto& e = begun.front();
      model_.write(tree_.tree(), e); // the prompt is built when the request leaves
      random_source latency{mix(seed_) ^ e.node, 5};
      flying_.push({now_ + 0.25 - 0.75 * std::log(1 - latency.uniform()), e.node});
    }
    return !flying_.empty();
  }

  struct landed {
    bool built = false;
    double worth = 0;
  };
  /// The next candidate is answered and judged.
  result<landed> land() {
    now_ = flying_.top().time;
    auto node = flying_.top().node;
    flying_.pop();
    journal_replied answer{0, node, 1};
    answer.normalised_digest = digest_of(model_.text_of(node));
    answer.descriptor = model_.descriptor_of(node);
    if (auto done = tree_.apply(answer); !done)
      return done.error();
    auto first = tree_.first_with(answer.normalised_digest).value_or(node);
    if (first != node && tree_.tree()[first].state != node_state::correct)
      first = node;
    random_source luck{mix(seed_) ^ node, 7};
    auto worth = world_.worth(model_.of(node));
    auto built = first != node || luck.uniform() < world_.success_probability;
    measured_.resize(std::size_t{node} + 1);
    measured_[node] = first != node ? measured_[first] : worth + world_.noise * luck.normal();
    journal_judged verdict{0, node, 0, built ? verdict_state::correct : verdict_state::build_failed};
    verdict.score = built ? scale_.score_of(measured_[node]) : 0;
    verdict.noise = std::exp2(2 * world_.noise / scale_.unit) - 1; // half a 95% interval
    if (first != node)
      verdict.duplicate_of = first;
    if (auto done = tree_.apply(verdict); !done)
      return done.error();
    return landed{built, worth};
  }

private:
  const gene_landscape& world_;
  const gene_scale& scale_;
  search_tree tree_;
  gene_model model_;
  std::uint64_t seed_;
  std::vector<double> measured_ = std::vector<double>(1, 0.0); ///< by node
  std::priority_queue<landing, std::vector<landing>, std::greater<>> flying_;
  double now_ = 0;
};

} // namespace

result<gene_run> run_genes(const gene_landscape& world, const search_settings& search, std::uint64_t seed,
                           std::uint32_t in_flight, std::uint64_t most) {
  // More in flight than are evaluated would be begun for nothing.
  in_flight =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(in_flight, std::max<std::uint64_t>(most, 1)));
  gene_scale scale{world};
  campaign_settings settings;
  settings.seed = seed;
  settings.search = search;
  settings.search.parallel = in_flight;
  settings.goal.target_speedup = scale.score_of(world.target);
  settings.targets = {target_settings{}};
  settings.models = {model_settings{}};
  auto made = search_tree::make(0, settings.targets[0].backend, settings);
  if (!made)
    return made.error();
  gene_flight flight{world, scale, std::move(*made), seed};
  gene_run run;
  while (run.evaluations < most && flight.fill(in_flight)) {
    auto landed = flight.land();
    if (!landed)
      return landed.error();
    ++run.evaluations;
    if (landed->built && landed->worth >= world.target) {
      run.reached = true;
      run.progress = 1;
      return run;
    }
    if (landed->built && landed->worth > scale.middle) // and so the target is above the mean
      run.progress = std::max(run.progress, (landed->worth - scale.middle) / (world.target - scale.middle));
  }
  run.evaluations = most;
  return run;
}

result<gene_figures> run_seeds(const gene_landscape& world, const search_settings& search,
                               std::uint64_t first, std::uint64_t last, std::uint32_t in_flight,
                               std::uint64_t most) {
  gene_figures f;
  std::vector<double> progress;
  for (auto seed = first; seed <= last; ++seed) {
    auto run = run_genes(world, search, seed, in_flight, most);
    if (!run)
      return run.error();
    f.evaluations.push_back(run->evaluations);
    progress.push_back(run->progress);
    f.reached += run->reached;
    ++f.runs;
    if (seed == last)
      break; // the largest number has no next one
  }
  f.median_evaluations = median_of(f.evaluations);
  f.median_progress = median_of(std::move(progress));
  return f;
}

} // namespace ke
