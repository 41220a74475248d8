#pragma once

#include "runtime/core/result.hpp"

#include <optional>
#include <string>

namespace ke {

struct goal_settings;
struct problem;

/// What a problem's candidates are compared with instead of the reference: `[goal] baseline`.
struct baseline {
  std::string name;   ///< "eager", "torch.compile", "best-known", "file:production.cpp"
  std::string source; ///< as a candidate would be written; empty: the reference, as the backend runs it
};

/// A problem carries its baseline among its files. So a worker gets both at once. Whatever is kept by the
/// problem's digest (admissions, verdicts, solutions, the campaign) is also kept by baseline.
void set_baseline(problem& what, const baseline& b);
/// Empty: the reference.
std::optional<baseline> baseline_of(const problem& what);
problem without_baseline(problem what);

/// "reference", or the baseline's name.
std::string baseline_name(const problem& what);

/// `invalid` if the settings ask for another baseline than the problem carries: a client sent only one of
/// them.
status baseline_agrees(const goal_settings& goal, const problem& what);

/// The reference of a Python problem through torch.compile, as a candidate would be written. Each workload is
/// compiled for its own shapes only, unless a scalar varies: then PyTorch decides, or it would compile anew
/// for each number.
baseline compiled_reference(const problem& what);
/// Whether this baseline compiles at its first call: the judge gives it time for that beforehand.
bool is_compiled(const std::optional<baseline>& b);

/// Why no backend of this problem's language can have this baseline, and what to do; empty: one may.
std::string baseline_lacks(const goal_settings& goal, const problem& what);

} // namespace ke
