#pragma once

#include "runtime/core/baseline.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/store/store_reader.hpp"

#include <optional>
#include <string>

namespace ke {

/// Puts into the problem what `[goal] baseline` names, as far as it does not come in a file, which whoever
/// reads the campaign's file has put there. `best-known` is the best proven solution in the store for this
/// very problem, one of the targets' backends and a device that its pattern admits; a campaign that goes on
/// keeps the one that it began with: `own` is the digest of its problem. `invalid` where there is no such
/// baseline, with what to do.
status complete_baseline(const store_reader& store, const campaign_settings& settings,
                         const std::optional<std::string>& own, problem& what);

/// Whether it is the same problem, whatever candidates were compared with.
bool is_same_problem(const store_reader& store, const std::string& problem_digest, const problem& what);

/// What an admission judges: the baseline, which must be right and fast enough to be timed, else the
/// reference as a candidate would be written.
struct admission_subject {
  std::string source;
  std::string name;         ///< "reference", "baseline"
  bool is_baseline = false; ///< bound by the problem's policy as candidates are
};
admission_subject admission_subject_of(const problem& what, bool timed);

} // namespace ke
