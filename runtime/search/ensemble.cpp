#include "runtime/search/ensemble.hpp"

#include <algorithm>

namespace ke {

result<ensemble> ensemble::make(ensemble_kind kind, const std::vector<model_settings>& models) {
  ensemble e;
  if (auto done = e.configure(kind, models); !done)
    return done.error();
  return e;
}

status ensemble::configure(ensemble_kind kind, const std::vector<model_settings>& models) {
  if (kind != ensemble_kind::weights)
    return failure{failure_kind::invalid, "[search] ensemble = \"" + std::string{to_text(kind)} +
                                              "\" is not available yet; use \"weights\""};
  std::vector<share> shares;
  double sum = 0;
  for (const auto& m : models)
    if (m.weight > 0) {
      shares.push_back({m.name, m.weight});
      sum += m.weight;
    }
  if (shares.empty())
    return failure{failure_kind::invalid,
                   "no [[model]] has a positive weight; give at least one model weight = 1.0"};
  std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (auto& s : shares)
    s.weight /= sum;
  shares_ = std::move(shares);
  return ok;
}

const std::string& ensemble::choose(random_source& random) {
  if (shares_.size() == 1)
    return shares_[0].name;
  double sum = 0;
  for (const auto& s : shares_)
    sum += std::max(credits_[s.name] += s.weight, 0.0);
  auto at = random.uniform() * sum;
  auto chosen = shares_.size() - 1;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    auto c = std::max(credits_[shares_[i].name], 0.0);
    if (c > 0 && at < c) {
      chosen = i;
      break;
    }
    at -= c;
  }
  credits_[shares_[chosen].name] -= 1;
  return shares_[chosen].name;
}

} // namespace ke
