#pragma once

#include "interface/cli/campaign_view.hpp"
#include "runtime/core/journal_retrieved.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// How the documents of one of a node's prompts were chosen, and when.
struct node_retrieval {
  journal_retrieved what;
  std::uint64_t wall_ms = 0; ///< campaign time
};

/// Those of all the node's requests, from the journal, the first request first. Empty: it asked nobody, or the
/// store is of a version that did not record them. Reads the journal between the node's planning and its last
/// request only.
result<std::vector<node_retrieval>> retrievals_of(const campaign_view& c, const node_view& n);

/// An answer that repeated a judged candidate, so that the model was asked again.
struct node_repeat {
  std::uint32_t attempt = 0;
  std::uint64_t of = 0; ///< public id
};
/// Those of the node's requests, in their order, from the journal.
result<std::vector<node_repeat>> repeats_of(const campaign_view& c, const node_view& n);

/// The record in words: the query in one line, then a line for each candidate, best first.
std::string retrieval_text(const campaign_view& c, const node_retrieval& r);

} // namespace ke::cli
