#pragma once

#include "runtime/store/store_reader.hpp"

#include <string>

namespace ke::cli {

/// What `best` says of one campaign: its best kernel with the measured speedup and interval, or that there is
/// none. For people.
result<std::string> best_text(const store_reader& store, const campaign_row& row);

} // namespace ke::cli
