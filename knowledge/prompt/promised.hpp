#pragma once

#include <string>

namespace ke {

struct problem;

/// The problem's promises on shapes and values, one line each; empty: none. Bounded by the problem's size.
/// Pure.
std::string promised_text(const problem& p);

/// Whether this initialiser names a form (`sorted`, `offsets`...) of every input, promised or not.
bool is_form(const std::string& init);

} // namespace ke
