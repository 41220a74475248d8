#pragma once

#include "runtime/core/skill.hpp"

#include <cstdint>
#include <string>

// The effect of a skill on prompts that showed it. Pure.

namespace ke {

struct skill_use {
  std::uint64_t wins = 0, losses = 0;
};
skill_use uses_of(const skill& s); ///< over all stores

/// Mean and lower 10% bound of the posterior of "a candidate that was shown it gains over its parent": Beta(1
/// + wins, 1 + losses); normal approximation for the bound. In [0, 1].
double usefulness(const skill_use& u);
double usefulness_bound(const skill_use& u);

/// Whether it is shown no more: shown at least `quarantine_uses` times, and with 90% belief worse than
/// improvements without it. `base`: the share of improvements that gain without any skill.
inline constexpr std::uint64_t quarantine_uses = 8;
bool is_quarantined(const skill_use& u, double base);

/// Counts one outcome in the record of `store`.
void note_use(skill& s, const std::string& store, bool won);

/// Likeness of two texts: Jaccard similarity of their runs of three words. 1 for equal texts.
double likeness(const std::string& a, const std::string& b);

/// Whether both say the same about the same, and so become one.
bool are_alike(const skill& a, const skill& b);

/// Joins both, in any order: text, title and id of the one with more evidence (then the smaller id), the
/// evidence of both without repeats, each store's record once, with the larger counts.
skill merged(const skill& a, const skill& b);

} // namespace ke
