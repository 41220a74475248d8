#pragma once

#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/random.hpp"

#include <map>
#include <string>
#include <vector>

namespace ke {

/// Which model writes the next candidate. Weights, drawn smoothly: each model gains credit in proportion to
/// its weight with every choice and pays one for being chosen; the draw is proportional to the positive
/// credits. So shares are kept over short runs too, and yet no fixed cycle lets one model always meet the
/// same kind of node. State is keyed by model name: models may come, go and change order between sessions.
class ensemble {
public:
  /// `invalid` if the kind is not available or no model has a positive weight.
  static result<ensemble> make(ensemble_kind kind, const std::vector<model_settings>& models);

  /// New models or weights; credits of models that stay are kept.
  status configure(ensemble_kind kind, const std::vector<model_settings>& models);

  const std::string& choose(random_source& random);
  const std::map<std::string, double>& credits() const { return credits_; }
  void credits(std::map<std::string, double> c) { credits_ = std::move(c); }

private:
  struct share {
    std::string name;
    double weight; ///< of a sum of 1
  };
  std::vector<share> shares_; ///< in order of name
  std::map<std::string, double> credits_;
};

} // namespace ke
