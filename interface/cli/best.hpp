#pragma once

#include "runtime/core/rows.hpp"
#include "runtime/store/store_reader.hpp"

#include <string>

namespace ke::cli {

/// Text of `best` for one campaign: the best kernel with measured speedup and interval, or that there is
/// none.
result<std::string> best_text(const store_reader& store, const campaign_row& row);

} // namespace ke::cli
