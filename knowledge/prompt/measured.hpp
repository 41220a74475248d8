#pragma once

#include "knowledge/prompt/node_summary.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ke {

struct prompt_request;

/// The fastest nodes that a prompt speaks of, by how many cores were at work in them (diagnosis). Null: none was timed.
struct best_by_cores {
  std::shared_ptr<const node_summary> one, several;
  /// One core was faster, and neither interval reaches the other. What was measured outweighs a rule: then nobody is
  /// asked for more threads.
  bool more_cores_lost() const;
};
best_by_cores by_cores(const prompt_request& r);

/// The bottleneck that the next attempt goes for: the parent's, or, where that asks for more threads and they lost, the next
/// in its diagnosis' shares. Empty: nothing is known.
std::string bottleneck_to_mend(const prompt_request& r);

/// Of these, those whose interval overlaps `than`'s, so that the measurements don't tell which one is faster: their numbers, in
/// order. Pure.
std::vector<std::uint32_t> undecided(const std::vector<std::shared_ptr<const node_summary>>& nodes,
                                     const node_summary& than);

} // namespace ke
