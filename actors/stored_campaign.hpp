#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/search/campaign_fold.hpp"
#include "runtime/store/store_reader.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ke {

/// A campaign as its store holds it: the folded journal, and of each open node what the fold does not keep.
struct stored_campaign {
  campaign_fold fold;
  campaign_row row;
  std::shared_ptr<const ke::problem> problem;
  std::map<node_key, node_row> rows;       ///< of open nodes
  std::map<node_key, std::string> replies; ///< raw answers that were stored but not yet folded
  std::uint64_t wall_ms = 0;
};

/// Folds the journal of a campaign. Blocking: for threads that may wait. `corrupt` names the first record that can't be folded.
result<std::shared_ptr<stored_campaign>> read_stored_campaign(const store_reader& store, std::uint32_t id);

/// The newest campaign of that name (empty: the newest of all; with several names in the store that is `invalid`, naming them).
result<campaign_row> find_campaign(const store_reader& store, const std::string& name);

} // namespace ke
