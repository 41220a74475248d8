#include "knowledge/prompt/measured.hpp"

#include "knowledge/prompt/prompt_builder.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace ke {
namespace {

constexpr double more_than_one = 1.3; ///< cores at work, on average

/// Cores at work, as a diagnosis says (backends/verdict/diagnosis.cpp); 0: it does not.
double cores_of(const node_summary& c) {
  if (!c.diagnosis)
    return 0;
  auto said = c.diagnosis->evidence.find("threads");
  double cores = 0;
  return said != c.diagnosis->evidence.end() && std::sscanf(said->second.c_str(), "%lf of", &cores) == 1
             ? cores
             : 0;
}

void take_faster(std::shared_ptr<const node_summary>& best,
                 const std::shared_ptr<const node_summary>& other) {
  if (!best || best->timing->speedup < other->timing->speedup)
    best = other;
}

/// The largest share but this one's, of "memory 0.01, compute 0.36"; empty: none is above a tenth.
std::string next_share(const diagnosis& d, const std::string& but) {
  auto said = d.evidence.find("shares");
  std::string best;
  double most = 0.1;
  if (said == d.evidence.end())
    return best;
  std::istringstream all{said->second};
  std::string name;
  for (double share = 0; all >> name >> share; all.ignore(1, ','))
    if (name != but && share > most) {
      most = share;
      best = name;
    }
  return best;
}

} // namespace

bool best_by_cores::more_cores_lost() const {
  return one && several && one->timing->low > several->timing->high;
}

best_by_cores by_cores(const prompt_request& r) {
  best_by_cores best;
  auto look = [&](const std::shared_ptr<const node_summary>& c) {
    if (auto cores = c && c->timing ? cores_of(*c) : 0; cores > 0)
      take_faster(cores > more_than_one ? best.several : best.one, c);
  };
  look(r.parent);
  look(r.partner);
  for (const auto* nodes : {&r.ancestors, &r.siblings, &r.uncles, &r.archive})
    for (const auto& c : *nodes)
      look(c);
  return best;
}

std::string bottleneck_to_mend(const prompt_request& r) {
  if (!r.parent || !r.parent->diagnosis)
    return {};
  const auto& d = *r.parent->diagnosis;
  return d.bottleneck == "occupancy" && by_cores(r).more_cores_lost() ? next_share(d, d.bottleneck)
                                                                      : d.bottleneck;
}

std::vector<std::uint32_t> undecided(const std::vector<std::shared_ptr<const node_summary>>& nodes,
                                     const node_summary& than) {
  std::vector<std::uint32_t> numbers;
  for (const auto& c : nodes)
    if (c->timing && than.timing && c->timing->high >= than.timing->low &&
        c->timing->low <= than.timing->high)
      numbers.push_back(c->node);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

} // namespace ke
