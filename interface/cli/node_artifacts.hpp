#pragma once

#include "interface/cli/node_evidence.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {
enum class listing_kind : std::uint8_t;
} // namespace ke

namespace ke::cli {

class campaign_view;
struct node_view;

/// What a tool printed about a node when it was looked at closely. A candidate's words.
struct node_artifact {
  std::uint32_t target = 0;
  measured_for what = measured_for::search;
  std::string name; ///< "kernel.asm"
  std::string text;

  /// What tells it from others of this name: "search/kernel.asm"; of a further target "1/claim/kernel.asm".
  std::string place() const;
};

/// By target; what was measured for a claim before what was measured in the search.
std::vector<node_artifact> artifacts_of(const campaign_view& campaign, const node_view& node);

/// `show NODE --artifact [NAME]`: the list, or the first one of this name or place, printable; as a JSON document
/// each with its bytes, and the named one with its text. `not_found`, saying what there is, or how one is had.
result<std::string> artifacts_text(const std::vector<node_artifact>& all, const node_view& node,
                                   const std::string& name, bool json);

/// The instructions of the node's first listing of a kind (machine_listing.hpp). `not_found`, saying how one is had.
result<std::string> listing_of(const std::vector<node_artifact>& all, const node_view& node,
                               listing_kind kind);

} // namespace ke::cli
