#pragma once

#include <string>

namespace ke {

struct node_summary;
struct problem;

/// A failure's reason for a prompt, in one line. Hides held-out workloads. For a suspected cheat gives the
/// neutral rule only: details would teach how to get nearer to the line (trust.md F11).
std::string redacted(const problem& p, const node_summary& c);
/// The same for a longer text about it (a log).
std::string redacted(const problem& p, const node_summary& c, const std::string& text);

/// "correct, 2.5x the reference (95% interval 2.25 to 2.75)" or "build_failed: `first line`".
std::string outcome_of(const problem& p, const node_summary& c);

bool is_held_out(const problem& p, const std::string& workload);

} // namespace ke
