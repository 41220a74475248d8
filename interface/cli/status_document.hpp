#pragma once

#include "interface/cli/access.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

/// One of a campaign's best nodes, with the reason why it is not faster yet.
struct top_node {
  std::uint64_t id = 0;
  double score = 0;
  std::string backend;
  std::optional<verdict> found; ///< on its first target
  std::string below;            ///< the workload below the goal's floor; empty: none
};

/// A campaign, as `status` shows it.
struct campaign_status {
  std::uint32_t id = 0; ///< 0: known from the owner only (--connect)
  std::string json;     ///< element of `status --json`
  bool live = false;    ///< told by its owner
  bool late = false;    ///< its owner is there, but it did not answer in time: as the store has it
};

/// `status --json` in parts. `live`: a living owner answered.
struct status_document {
  bool live = false;
  std::vector<campaign_status> campaigns;
  std::string json() const;
};

/// Asks the owner, and reads the rest from the store. Keeps what it read of finished campaigns: asking again
/// is cheap. One thread.
class status_source {
public:
  explicit status_source(access a) : access_{std::move(a)} {}

  /// `invalid`/`not_found` for a campaign that is not there, `corrupt` for a store that can't be read.
  result<status_document> read();
  /// The best `most` correct nodes, best first; nothing over --connect.
  std::vector<top_node> top(std::uint32_t campaign, std::size_t most) const;
  const access& through() const { return access_; }

private:
  result<std::string> stored(const campaign_row& row);

  access access_;
  std::map<std::uint32_t, std::pair<std::string, std::string>> finished_; ///< id -> packed row, its JSON
};

} // namespace ke::cli
