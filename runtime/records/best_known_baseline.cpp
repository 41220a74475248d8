#include "runtime/records/best_known_baseline.hpp"

#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/store/store_share.hpp"

#include <algorithm>
#include <map>

namespace ke {
namespace {

std::string digest_of_plain(const problem& what) {
  return digest_of(pack(without_baseline(what)));
}

/// The same problem, whatever its candidates were compared with.
class same_problem {
public:
  same_problem(const store_reader& store, const problem& what)
      : store_{store}, wanted_{digest_of_plain(what)} {}

  bool operator()(const std::string& problem_digest) {
    auto [known, fresh] = known_.try_emplace(problem_digest, problem_digest == wanted_);
    if (fresh && !known->second) {
      auto bytes = store_.blob(problem_digest);
      auto theirs = bytes ? unpack<problem>(*bytes) : result<problem>{bytes.error()};
      known->second = theirs && digest_of_plain(*theirs) == wanted_;
    }
    return known->second;
  }

private:
  const store_reader& store_;
  std::string wanted_;
  std::map<std::string, bool> known_;
};

bool is_targeted(const campaign_settings& settings, const solution_place& place) {
  return std::any_of(settings.targets.begin(), settings.targets.end(), [&](const target_settings& t) {
    return t.backend == place.backend && names_device(t.device, place.device);
  });
}

/// The source of the best proven solution; empty: there is none.
result<std::string> best_known(const store_reader& store, const campaign_settings& settings,
                               const problem& what) {
  auto rows = read_solutions(store, operator_of(what));
  if (!rows)
    return rows.error();
  same_problem same{store, what};
  const solution_row* best = nullptr;
  double most = 0;
  for (const auto& r : *rows) {
    if (!is_proven(r) || !r.timed || !is_targeted(settings, r.place) || !same(r.problem_digest) ||
        !store.has_blob(r.source_digest))
      continue;
    auto score = score_over_reference(r, *rows).value_or(r.score);
    if (score > most) {
      best = &r;
      most = score;
    }
  }
  return best ? store.blob(best->source_digest) : result<std::string>{std::string{}};
}

} // namespace

bool is_same_problem(const store_reader& store, const std::string& problem_digest, const problem& what) {
  return same_problem{store, what}(problem_digest);
}

status complete_baseline(const store_reader& store, const campaign_settings& settings,
                         const std::optional<std::string>& own, problem& what) {
  if (auto why = baseline_lacks(settings.goal, what); !why.empty())
    return failure{failure_kind::invalid, "[goal] baseline: " + why};
  if (settings.goal.baseline == baseline_kind::eager)
    set_baseline(what, {std::string{to_text(baseline_kind::eager)}, {}});
  if (settings.goal.baseline == baseline_kind::compile)
    set_baseline(what, compiled_reference(what));
  if (settings.goal.baseline == baseline_kind::best_known) {
    auto bytes = own ? store.blob(*own) : result<std::string>{std::string{}};
    auto begun = bytes ? unpack<problem>(*bytes) : result<problem>{bytes.error()};
    if (auto b = begun ? baseline_of(*begun) : std::nullopt) {
      set_baseline(what, *b);
      return ok;
    }
    auto source = best_known(store, settings, what);
    if (!source)
      return source.error();
    if (source->empty())
      return failure{failure_kind::invalid,
                     "[goal] baseline = \"best-known\": the store holds no proven solution of problem " +
                         what.name +
                         " for a device of the targets; let a campaign with baseline = \"reference\" claim "
                         "one first, or `store merge` a store that has one"};
    set_baseline(what, {std::string{to_text(baseline_kind::best_known)}, *std::move(source)});
  }
  return baseline_agrees(settings.goal, what);
}

admission_subject admission_subject_of(const problem& what, bool timed) {
  auto b = baseline_of(what);
  if (timed && b && !b->source.empty())
    return {b->source, "baseline (" + b->name + ")", true};
  return {reference_as_candidate(what), "reference", false};
}

} // namespace ke
