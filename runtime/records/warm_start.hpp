#pragma once

#include "runtime/store/store_reader.hpp"

#include <string>
#include <vector>

namespace ke {

struct campaign_settings;
struct journal_seeded;
struct problem;

/// What a new campaign begins with: for each tree (`trees`: their backends) the nearest solutions
/// (solution.hpp) in the store, at most [search] warm_start. They must have the same operator family, first
/// input type and backend, the same tensors and scalars if the store still knows their problem, and a source
/// at hand. None if a model replays recorded answers: it was asked other questions.
///
/// Blocking; reads only.
result<std::vector<journal_seeded>> seeds_for(const store_reader& store, const campaign_settings& settings,
                                              const std::vector<std::string>& trees, const problem& what);

} // namespace ke
