#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ke {

struct model_settings;

/// An ensemble's memory of one model.
struct model_record {
  double credit = 0;           ///< weights: see ensemble
  std::uint64_t submitted = 0; ///< candidates for which it was chosen, those in flight included
  std::uint64_t completed = 0; ///< of these: ended
  double gains = 0, tries = 0; ///< decayed sums over completed ones
  double usd = 0;              ///< of all its answers
  std::uint64_t answers = 0;
};
KE_FIELDS(model_record, x.credit, x.submitted, x.completed, x.gains, x.tries, x.usd, x.answers)

/// Which model writes the next candidate. State is keyed by model name: models may come, go and change order
/// between sessions. Part of the fold.
///
/// `weights`: drawn smoothly. With every choice each model gains credit in proportion to its weight; the
/// chosen one pays one. The draw is proportional to the positive credits. So shares hold over short runs,
/// too, and no fixed cycle lets one model always meet the same kind of node.
///
/// `ucb`, `cost-ucb`: the asymmetric bandit of ShinkaEvolve (features.md E5). A candidate's gain is max(0,
/// score / base - 1); `base` is the score of the nearest scored ancestor or of the reference, whichever is
/// higher. So only improvements count, and a failed candidate is a pull without a gain.
///
///     reward = mean gain / g + sqrt(2 ln t / n)
///     cost   = max(mean USD - 0.1 (most - least) sqrt(2 ln t / n), 1e-7)
///     cheap  = median cost / cost, scaled so that the largest is 1
///     priority  = (1 - w) reward + w cheap
///     g      largest mean gain of any model
///     t, n   candidates asked for, in flight too: of all models, of this one
///     w      0 for ucb, 0.5 for cost-ucb
///
/// Sums of gains and pulls decay by 0.95 per completed candidate of the model. Models never asked come first,
/// uniformly; then the one of highest priority with probability 0.8, another one otherwise. A weight only
/// decides whether a model takes part.
class ensemble {
public:
  /// `invalid` if no model has a positive weight.
  static result<ensemble> make(ensemble_kind kind, const std::vector<model_settings>& models);

  /// New models, weights or kind; records of models are kept.
  status configure(ensemble_kind kind, const std::vector<model_settings>& models);

  /// Models not chosen while there are others.
  void set_aside(const std::set<std::string>& models);

  const std::string& choose(random_source& random);           ///< and counts it as submitted
  void moved(const std::string& from, const std::string& to); ///< another model was asked than the chosen one
  void paid(const std::string& model, double usd);            ///< for an answer
  void lost(const std::string& model, double usd);            ///< for a failed try
  void completed(const std::string& model, double gain);      ///< its candidate ended
  void withdrawn(const std::string& model);                   ///< its candidate was never judged: no pull

  const std::map<std::string, model_record>& records() const { return records_; }
  void records(std::map<std::string, model_record> r) { records_ = std::move(r); }

private:
  struct share {
    std::string name;
    double weight; ///< of a sum of 1
  };
  void share_out();
  const std::string& by_weight(random_source& random);
  const std::string& by_priority(random_source& random);

  ensemble_kind kind_ = ensemble_kind::weights;
  std::vector<share> all_;    ///< as configured
  std::vector<share> shares_; ///< of these: may be chosen now; in order of name
  std::set<std::string> aside_;
  std::map<std::string, model_record> records_;
};

} // namespace ke
