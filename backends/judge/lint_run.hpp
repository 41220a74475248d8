#pragma once

#include "backends/evaluation/problem_lint.hpp"
#include "backends/evidence/judge_task.hpp"

namespace ke {

/// The judge without a candidate: the rules for candidates of this problem, and whether rubbish would pass.
/// Ignores `task.candidate`. Blocks; SIGPIPE must be ignored.
lint_report lint(const judge_task& task);

} // namespace ke
