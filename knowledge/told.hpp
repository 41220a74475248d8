#pragma once

#include "knowledge/prompt.hpp"

#include <string>

namespace ke {

/// What may be told of a failed candidate, one line. A text that names a held-out workload would give it
/// away; and of one whose time or result was not accepted only the rule is told, in neutral words: details
/// would teach how to come closer to the line (trust.md F11).
std::string told(const problem& p, const node_card& c);
/// The same for a longer text of its (a log).
std::string told(const problem& p, const node_card& c, const std::string& text);

/// "correct, 2.5x the reference (95% interval 2.25 to 2.75)" or "build_failed: `first line`".
std::string outcome_of(const problem& p, const node_card& c);

bool is_held_out(const problem& p, const std::string& workload);

} // namespace ke
