#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/search/campaign_fold.hpp"
#include "runtime/store/image_file.hpp"
#include "runtime/store/store_reader.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ke {

/// The calls of sub-agents stand behind their node's own, under the attempt that is this much and their
/// number.
inline constexpr std::uint32_t agent_attempts = 1u << 20;

/// A campaign as its store holds it: the folded journal, and of each open node what the fold does not keep.
struct stored_campaign {
  campaign_fold fold;
  campaign_row row;
  std::shared_ptr<const ke::problem> problem;
  std::map<node_key, node_row> rows;       ///< of open nodes
  std::map<node_key, std::string> replies; ///< raw answers that were stored but not yet folded
  std::uint64_t wall_ms = 0;
  std::uint64_t imaged = 0; ///< records that the campaign's image stands for
};

/// A fold of the first records of a journal.
struct folded_start {
  campaign_fold fold;
  std::uint64_t records = 0;
  std::uint64_t wall_ms = 0;
};

/// What the campaign's image holds, or the empty start if there is none that fits (store.md, "Images").
/// Blocking.
folded_start read_folded_start(const store_reader& store, std::uint32_t id);
/// The fold in an image, or the empty start if the image is not of this store, campaign and program, or if
/// `last`, the journal's record of number header.records - 1, is not the one that it ends with.
folded_start fold_of_image(const image_file& image, const std::string& store_id, std::uint32_t id,
                           const std::optional<journal_record>& last);

inline constexpr std::uint64_t least_between_images = 16384; ///< records
/// Is it time for another image, after so many records, when the last one stands for `imaged` of them? Not
/// before `least` more, and not before one part of `parts` more: making one has its price, too.
bool image_is_due(std::uint64_t records, std::uint64_t imaged, std::uint64_t least = least_between_images,
                  std::uint64_t parts = 8);
/// The header of an image that stands for `records` of the journal, `last` being the last of them.
image_header header_of_image(std::string store_id, std::uint32_t id, std::uint64_t records,
                             const journal_record& last);

/// Folds the journal of a campaign, from `start` on. Blocking: for threads that may wait. `corrupt` names the
/// first record that can't be folded. `Reader` has store_reader's row, journal and blob.
template <class Reader>
result<std::shared_ptr<stored_campaign>> read_stored_campaign(const Reader& store, std::uint32_t id,
                                                              folded_start start = {}) {
  auto s = std::make_shared<stored_campaign>();
  s->fold = std::move(start.fold);
  s->wall_ms = start.wall_ms;
  s->imaged = start.records;
  auto row = store.template row<campaign_row>(table::campaigns, key_of(id));
  if (!row)
    return row.error();
  s->row = std::move(*row);
  status folded = ok;
  auto read = store.journal(id, start.records, [&](std::uint64_t sequence, const journal_record& record) {
    folded = s->fold.apply(record);
    if (!folded)
      folded = failure{folded.error().kind, "campaign " + s->row.name + ", journal record " +
                                                std::to_string(sequence) + ": " + folded.error().text};
    s->wall_ms = record.wall_ms;
    return static_cast<bool>(folded);
  });
  if (!read)
    return read.error();
  if (!folded)
    return folded.error();
  auto bytes = store.blob(s->row.problem_digest);
  if (!bytes)
    return bytes.error();
  auto p = unpack<problem>(*bytes);
  if (!p)
    return p.error();
  s->problem = std::make_shared<const problem>(std::move(*p));
  for (const auto& tree : s->fold.trees())
    for (auto node : tree.open_nodes()) {
      node_key n{id, tree.number(), node};
      if (auto r = store.template row<node_row>(table::nodes, key_of(n.campaign, n.tree, n.node))) {
        s->rows[n] = std::move(*r);
      } else { // planned only: its row is not written before it is asked
        auto what = tree.expansion_of(node);
        s->rows[n].parents = {what.parent};
        s->rows[n].model = what.model;
        s->rows[n].memory = what.memory;
      }
    }
  for (const auto& [t, call] : s->fold.open_calls()) {
    node_key n{id, t, call.node};
    auto stored =
        store.template row<call_row>(table::calls, key_of(n.campaign, n.tree, n.node, call.attempt));
    if (stored && !stored->open)
      if (auto body = store.blob(stored->reply_digest))
        s->replies[n] = std::move(*body);
  }
  return s;
}

/// The newest campaign of that name (empty: the newest of all; with several names in the store that is
/// `invalid`, naming them); "NAME@2": the second of that name, counted from the oldest.
result<campaign_row> find_campaign(const store_reader& store, const std::string& name);

} // namespace ke
