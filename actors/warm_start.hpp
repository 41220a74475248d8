#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/store/store_reader.hpp"

#include <string>
#include <vector>

namespace ke {

/// What a new campaign begins with: for each of its trees (`trees`: their backends) the nearest solutions
/// (solution.hpp) in the store that can be its candidates: of the same operator family and first input type,
/// in the tree's backend, written for a function with the same tensors and scalars where the store still
/// knows the problem that they were written for, and with their source at hand. At most [search] warm_start
/// of them. None if a model replays recorded answers: it was asked other questions.
///
/// Blocking; reads only.
result<std::vector<journal_seeded>> seeds_for(const store_reader& store, const campaign_settings& settings,
                                              const std::vector<std::string>& trees, const problem& what);

} // namespace ke
