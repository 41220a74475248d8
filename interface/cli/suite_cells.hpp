#pragma once

#include "runtime/core/result.hpp"
#include "runtime/records/suite_metrics.hpp"
#include "runtime/store/store_reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ke {
struct campaign_row;
struct campaign_settings;
struct problem;
} // namespace ke

namespace ke::cli {

/// What a suite's campaign has come to, a cell for each of its backends: from its rows, its journal and its
/// verdicts alone. The caller knows the suite's own name of the problem. Fails as campaign_view::open.
result<std::vector<suite_cell>> cells_of(const store_reader& store, const campaign_row& row);

/// The campaign of that name that a start would resume: of this very problem. Nothing: a start begins a new one.
std::optional<campaign_row> suite_campaign(const store_reader& store, const std::string& name,
                                           const problem& what);

/// Whether it has ended for good, as far as these settings go: a larger budget goes on.
bool has_ended(const store_reader& store, const campaign_row& row, const campaign_settings& settings);

} // namespace ke::cli
