#pragma once

#include "runtime/playbook/read/normalize.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ke::playbook {

/// The candidate at a point; empty if the point is not possible for this kernel.
std::string render(const task& t, const understood_kernel& u, const point& at);

/// Points worth a draft, the most promising and most different ones first.
std::vector<point> drafts(const task& t, const understood_kernel& u);
/// Points one or two parameters away from `from`, promising ones first, else in an order drawn from the
/// task's seed; then the drafts.
std::vector<point> improvements(const task& t, const understood_kernel& u, const point& from);
/// Ever plainer relatives of `from`.
std::vector<point> simplifications(const task& t, const understood_kernel& u, const point& from);

/// One sentence that says what the point does and why.
std::string rationale(const task& t, const point& at);

} // namespace ke::playbook
