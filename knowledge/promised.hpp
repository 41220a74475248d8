#pragma once

#include "runtime/core/problem.hpp"

#include <string>

namespace ke {

/// What the problem promises of its shapes and values, one line each; empty where it promises nothing.
/// Bounded by the problem's own size. Pure.
std::string promised_text(const problem& p);

/// Whether this initialiser names a form (`sorted`, `offsets`...) that every input has, promised or not.
bool is_form(const std::string& init);

} // namespace ke
