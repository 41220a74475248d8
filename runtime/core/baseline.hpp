#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"

#include <optional>
#include <string>

namespace ke {

/// What a problem's candidates are compared with, where that is not its reference: `[goal] baseline`.
struct baseline {
  std::string name;   ///< "eager", "torch.compile", "best-known", "file:production.cpp"
  std::string source; ///< as a candidate would be written; empty: the reference, as the backend runs it
};

/// A problem carries its baseline among its files, so whatever is kept by the problem's digest (admissions,
/// verdicts, solutions, the campaign itself) is kept by baseline, too, and a worker gets both as one.
void set_baseline(problem& what, const baseline& b);
/// Empty: the reference.
std::optional<baseline> baseline_of(const problem& what);
problem without_baseline(problem what);

/// "reference", or the baseline's name.
std::string baseline_name(const problem& what);

/// Whether the settings ask for what the problem carries: `invalid` where a client sent one without the
/// other.
status baseline_agrees(const goal_settings& goal, const problem& what);

/// The reference of a Python problem through torch.compile, as a candidate would be written. Each workload is
/// compiled for its own shapes, whatever came before it in its process, unless a scalar varies: then PyTorch
/// decides, or each new number would be compiled for.
baseline compiled_reference(const problem& what);
/// Whether the problem's candidates are compared with that: what compiles is given time for it beforehand.
bool is_compiled(const std::optional<baseline>& b);

/// Why no backend of this problem's language has such a baseline, with what to do; empty: it may be there.
std::string baseline_lacks(const goal_settings& goal, const problem& what);

} // namespace ke
