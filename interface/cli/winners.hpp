#pragma once

#include "interface/cli/campaign_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// The campaign's best candidate at some time. Winner i beat winner i - 1 by its score, or because only
/// winner i is called faster.
struct winner {
  std::uint64_t node = 0; ///< public id
  double score = 0;
  std::uint64_t judged_ms = 0;  ///< campaign time
  std::uint64_t candidates = 0; ///< verdicts of the campaign so far, this one included
  bool proven = false;          ///< faster than the baseline (untimed: correct), and no claim has refuted it
  bool claimed = false;         ///< a claim has confirmed it
};

/// All winners in order of time, the present one last; a pure function of the stored campaign. It only grows
/// at the end during the search; afterwards a claim may put an earlier candidate last.
result<std::vector<winner>> winners_of(const campaign_view& campaign);

/// Only those that beat the baseline.
std::vector<winner> proven_of(std::vector<winner> all);

/// The workload that keeps the node from being claimed, as in floor_text: by the claim's measurement if there
/// is one, else the search's. Empty: none.
std::string below_floor_of(const campaign_view& campaign, const node_view& node);

/// The ending of a node's source file, dot included: the verdict's, else the backend's, else that of the
/// problem's reference.
std::string source_suffix(const campaign_view& campaign, const node_view& node);

/// A file with the candidate's source, made if needed: below the store's `exports/`, or in the user's cache
/// folder if the store can't be written. Its name has the digest of the content.
result<std::string> source_file(const campaign_view& campaign, const node_view& node);

} // namespace ke::cli
