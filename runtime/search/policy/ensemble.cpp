#include "runtime/search/policy/ensemble.hpp"

#include "runtime/core/model_settings.hpp"

#include <algorithm>
#include <cmath>

namespace ke {

namespace {

constexpr double decay = 0.95, others = 0.2, confidence_in_cost = 0.1, least_cost = 1e-7;

double median_of(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  auto n = all.size();
  return (all[(n - 1) / 2] + all[n / 2]) / 2;
}

} // namespace

result<ensemble> ensemble::make(ensemble_kind kind, const std::vector<model_settings>& models) {
  ensemble e;
  if (auto done = e.configure(kind, models); !done)
    return done.error();
  return e;
}

status ensemble::configure(ensemble_kind kind, const std::vector<model_settings>& models) {
  std::vector<share> shares;
  for (const auto& m : models)
    if (m.weight > 0)
      shares.push_back({m.name, m.weight});
  if (shares.empty())
    return failure{failure_kind::invalid,
                   "no [[model]] has a positive weight; give at least one model weight = 1.0"};
  all_ = std::move(shares);
  kind_ = kind;
  share_out();
  return ok;
}

void ensemble::set_aside(const std::set<std::string>& models) {
  if (models == aside_)
    return;
  aside_ = models;
  share_out();
}

void ensemble::share_out() {
  shares_.clear();
  for (const auto& s : all_)
    if (!aside_.contains(s.name))
      shares_.push_back(s);
  if (shares_.empty())
    shares_ = all_;
  double sum = 0;
  for (const auto& s : shares_)
    sum += s.weight;
  for (auto& s : shares_)
    s.weight /= sum;
  std::sort(shares_.begin(), shares_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

const std::string& ensemble::choose(random_source& random) {
  const auto& chosen = shares_.size() == 1               ? shares_[0].name
                       : kind_ == ensemble_kind::weights ? by_weight(random)
                                                         : by_priority(random);
  ++records_[chosen].submitted;
  return chosen;
}

const std::string& ensemble::by_weight(random_source& random) {
  double sum = 0;
  for (const auto& s : shares_)
    sum += std::max(records_[s.name].credit += s.weight, 0.0);
  auto at = random.uniform() * sum;
  auto chosen = shares_.size() - 1;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    auto c = std::max(records_[shares_[i].name].credit, 0.0);
    if (c > 0 && at < c) {
      chosen = i;
      break;
    }
    at -= c;
  }
  records_[shares_[chosen].name].credit -= 1;
  return shares_[chosen].name;
}

const std::string& ensemble::by_priority(random_source& random) {
  std::vector<std::size_t> untried;
  for (std::size_t i = 0; i < shares_.size(); ++i)
    if (records_[shares_[i].name].submitted == 0)
      untried.push_back(i);
  if (!untried.empty())
    return shares_[untried[random.below(untried.size())]].name;

  double all = 0, largest = 0;
  std::vector<double> mean, cost;
  for (const auto& s : shares_) {
    const auto& r = records_[s.name];
    all += static_cast<double>(std::max(r.submitted, r.completed));
    largest = std::max(largest, mean.emplace_back(r.tries > 0 ? r.gains / r.tries : 0));
    cost.push_back(r.answers ? r.usd / static_cast<double>(r.answers) : 0);
  }
  auto [least, most] = std::minmax_element(cost.begin(), cost.end());
  auto range = *most - *least, reference = std::max(median_of(cost), least_cost);
  std::vector<double> reward, cheap;
  double cheapest = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const auto& r = records_[shares_[i].name];
    auto doubt =
        std::sqrt(2 * std::log(std::max(all, 1.0)) / static_cast<double>(std::max(r.submitted, r.completed)));
    reward.push_back((largest > 0 ? mean[i] / largest : 0) + doubt);
    cheap.push_back(reference / std::max(cost[i] - confidence_in_cost * range * doubt, least_cost));
    cheapest = std::max(cheapest, cheap.back());
  }
  auto w = kind_ == ensemble_kind::cost_ucb ? 0.5 : 0.0;
  std::vector<double> priority;
  priority.reserve(shares_.size());
  for (std::size_t i = 0; i < shares_.size(); ++i)
    priority.push_back((1 - w) * reward[i] + w * cheap[i] / cheapest);
  auto best = static_cast<std::size_t>(std::max_element(priority.begin(), priority.end()) - priority.begin());
  if (random.uniform() < others) {
    auto other = random.below(shares_.size() - 1);
    best = other < best ? other : other + 1;
  }
  return shares_[best].name;
}

void ensemble::moved(const std::string& from, const std::string& to) {
  withdrawn(from);
  ++records_[to].submitted;
}

void ensemble::paid(const std::string& model, double usd) {
  auto& r = records_[model];
  r.usd += std::max(usd, 0.0);
  ++r.answers;
}

void ensemble::lost(const std::string& model, double usd) {
  records_[model].usd += std::max(usd, 0.0);
}

void ensemble::completed(const std::string& model, double gain) {
  auto& r = records_[model];
  ++r.completed;
  r.gains = r.gains * decay + std::max(gain, 0.0);
  r.tries = r.tries * decay + 1;
}

void ensemble::withdrawn(const std::string& model) {
  auto& r = records_[model];
  r.submitted -= r.submitted > 0;
}

} // namespace ke
