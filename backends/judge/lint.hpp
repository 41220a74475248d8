#pragma once

#include "backends/judge_task.hpp"
#include "backends/lint.hpp"

namespace ke {

/// The judge without a candidate: what it would hold candidates of this problem to, and whether rubbish would
/// pass. `task.candidate` is not looked at. Blocks; SIGPIPE must be ignored.
lint_report lint(const judge_task& task);

} // namespace ke
