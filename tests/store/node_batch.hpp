#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/store/store_port.hpp"

#include <cstdint>
#include <string>

namespace ke {

/// What a campaign writes for one judged node, in one batch.
inline store_batch node_batch(std::uint32_t campaign, std::uint32_t node, const std::string& source) {
  store_batch b;
  node_row row;
  row.parents = {node == 0 ? no_node : (node - 1) / 8};
  row.state = node_state::correct;
  row.source_digest = b.blob(source);
  row.verdict_digests = {digest_of("verdict " + std::to_string(campaign) + "/" + std::to_string(node))};
  hot_row hot;
  hot.parent = row.parents[0];
  hot.state = row.state;
  auto key = key_of(campaign, 0, node);
  b.put(table::nodes, key, pack(row));
  b.put(table::hot, key, pack(hot));
  b.put(table::evidence, key_of(campaign, 0, node, 0), pack(evidence{}));
  b.put(table::verdicts, row.verdict_digests[0], pack(verdict{}));
  b.journal.emplace_back(campaign,
                         journal_record{journal_kind::judged, node, 0, pack(journal_judged{0, node, 0})});
  return b;
}

inline campaign_row campaign(std::uint32_t id, store_batch& b) {
  campaign_row row;
  row.id = id;
  row.name = "c" + std::to_string(id);
  row.state = "running";
  row.settings_digest = b.blob(pack(campaign_settings{}));
  row.problem_digest = b.blob("problem");
  return row;
}

} // namespace ke
