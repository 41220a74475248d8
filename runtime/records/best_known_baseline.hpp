#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/store_reader.hpp"

#include <optional>
#include <string>

namespace ke {

struct campaign_settings;
struct problem;

/// Puts the baseline of `[goal] baseline` into the problem, except one from a file: the reader of
/// campaign.toml has done that. `best-known` is the store's best proven solution for this very problem, one
/// of the targets' backends and a device that matches. A resumed campaign keeps its first one: `own` is the
/// digest of its problem. `invalid`, with what to do, if there is no such baseline.
status complete_baseline(const store_reader& store, const campaign_settings& settings,
                         const std::optional<std::string>& own, problem& what);

/// Whether it is the same problem, whatever the baseline.
bool is_same_problem(const store_reader& store, const std::string& problem_digest, const problem& what);

/// What an admission judges: the baseline, which must be correct and fast enough to be timed, else the
/// reference as a candidate would be written.
struct admission_subject {
  std::string source;
  std::string name;         ///< "reference", "baseline"
  bool is_baseline = false; ///< bound by the problem's policy as candidates are
};
admission_subject admission_subject_of(const problem& what, bool timed);

} // namespace ke
