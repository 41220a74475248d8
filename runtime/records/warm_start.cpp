#include "runtime/records/warm_start.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/store/store_share.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace ke {
namespace {

/// Whether a candidate for one can be called as a candidate for the other.
bool same_signature(const problem& a, const problem& b) {
  auto same_tensor = [](const tensor_spec& x, const tensor_spec& y) {
    return x.role == y.role && x.dtype == y.dtype && x.shape.size() == y.shape.size();
  };
  auto same_scalar = [](const scalar_spec& x, const scalar_spec& y) { return x.integer == y.integer; };
  return a.reference_language == b.reference_language && a.dims.size() == b.dims.size() &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), same_tensor) &&
         std::equal(a.scalars.begin(), a.scalars.end(), b.scalars.begin(), b.scalars.end(), same_scalar);
}

/// For the person who reads `show`: where a seed comes from and what it was worth there.
std::string provenance(const solution_row& from) {
  std::string text = "an earlier solution: problem " + from.problem + ", campaign " + from.campaign +
                     ", node " + std::to_string(from.node.node) + " of store " + from.store.substr(0, 12);
  if (from.timed && from.speedup > 0) {
    char worth[64];
    std::snprintf(worth, sizeof worth, ", %.2fx [%.2f, %.2f] there", from.speedup, from.low, from.high);
    text += worth + (from.baseline.empty() ? "" : " over " + from.baseline);
  }
  return text;
}

} // namespace

result<std::vector<journal_seeded>> seeds_for(const store_reader& store, const campaign_settings& settings,
                                              const std::vector<std::string>& trees, const problem& what) {
  std::vector<journal_seeded> all;
  auto replays = std::any_of(settings.models.begin(), settings.models.end(),
                             [](const auto& m) { return traits_of(m.provider).body == body_form::recorded; });
  auto most = static_cast<std::size_t>(std::max<std::int64_t>(settings.search.warm_start, 0));
  if (replays || most == 0)
    return all;
  auto rows = read_solutions(store, operator_of(what));
  if (!rows)
    return rows.error();
  std::map<std::string, bool> callable; // by problem: many solutions are of one
  std::erase_if(*rows, [&](const solution_row& r) {
    auto [known, fresh] = callable.try_emplace(r.problem_digest, true);
    if (fresh) {
      auto bytes = store.blob(r.problem_digest);
      auto theirs = bytes ? unpack<problem>(*bytes) : result<problem>{bytes.error()};
      known->second = !theirs || same_signature(*theirs, what);
    }
    return !known->second || !store.has_blob(r.source_digest);
  });
  for (std::uint32_t t = 0; t < trees.size(); ++t) {
    journal_seeded seeded{t, {}};
    auto query = place_of(what, trees[t], {});
    for (const auto& near : nearest_solutions(*rows, query, rows->size()))
      if (const auto& d = near.distance;
          !d.other_family && !d.other_dtype && d.target < 2 && seeded.seeds.size() < most)
        seeded.seeds.push_back({near.row.source_digest, provenance(near.row)});
    if (!seeded.seeds.empty())
      all.push_back(std::move(seeded));
  }
  return all;
}

} // namespace ke
