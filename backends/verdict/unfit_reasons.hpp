#pragma once

namespace ke {

/// How the reason of an `unfit_problem` begins where a wrong answer would pass the problem's own check. All other
/// reasons mean that nothing can be judged here: too large a problem, a reference that fails.
inline constexpr const char* check_accepts = "the problem's own check accepts ";

} // namespace ke
