#pragma once

#include "runtime/core/call_row.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"
#include "runtime/store/image_file.hpp"
#include "runtime/store/prompt_sections.hpp"
#include "runtime/store/store_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

struct problem;

/// A campaign from its store: the folded journal, and what the fold does not keep of open nodes.
struct stored_campaign {
  campaign_fold fold;
  campaign_row row;
  std::shared_ptr<const ke::problem> problem;
  std::map<node_key, node_row> rows;       ///< of open nodes
  std::map<node_key, std::string> replies; ///< raw answers that were stored but not yet folded
  std::map<node_key, std::string> parts;   ///< of calls cancelled at their session's end
  std::map<node_key, prompt> prompts;      ///< of calls that are out
  std::map<std::pair<node_key, std::uint32_t>, call_row> calls; ///< that are out, by node and attempt
  std::uint64_t wall_ms = 0;
  std::uint64_t imaged = 0; ///< records in the campaign's image
};

/// A fold of the first records of a journal.
struct folded_start {
  campaign_fold fold;
  std::uint64_t records = 0;
  std::uint64_t wall_ms = 0;
};

/// The fold in the campaign's image; the empty start if no image fits (store.md, "Images"). Blocking.
folded_start read_folded_start(const store_reader& store, std::uint32_t id);
/// The fold in an image. The empty start if it is of another store, campaign or program, or does not end with
/// `last`, the journal's record of number header.records - 1.
folded_start fold_of_image(const image_file& image, const std::string& store_id, std::uint32_t id,
                           const std::optional<journal_record>& last);

inline constexpr std::uint64_t least_between_images = 16384; ///< records
/// Whether another image is due at `records` records, the last one holding `imaged`: at least `least` more,
/// and at least one part in `parts` more, because an image has its price.
bool image_is_due(std::uint64_t records, std::uint64_t imaged, std::uint64_t least = least_between_images,
                  std::uint64_t parts = 8);
/// The header of an image of the first `records` of the journal; `last` is the last of these.
image_header header_of_image(std::string store_id, std::uint32_t id, std::uint64_t records,
                             const journal_record& last);

/// The problem in a campaign's blob; `corrupt`.
result<std::shared_ptr<const problem>> problem_of(std::string_view bytes);

/// A prompt, from the sections that a node's row names; nothing if they can't be read or have another digest.
template <class Reader>
std::optional<prompt> read_stored_prompt(const Reader& store, const std::string& sections,
                                         const std::string& digest) {
  if (sections.empty())
    return std::nullopt;
  auto bytes = store.blob(sections);
  auto parts = bytes ? unpack_sections(*bytes) : result<std::vector<stored_section>>{bytes.error()};
  if (!parts)
    return std::nullopt;
  prompt all;
  for (auto& part : *parts) {
    auto text = part.digest.empty() ? result<std::string>{std::move(part.text)} : store.blob(part.digest);
    if (!text)
      return std::nullopt;
    all.sections.push_back({std::move(*text), false, std::move(part.name), !part.digest.empty()});
  }
  return prompt_key(all) == digest ? std::optional{std::move(all)} : std::nullopt;
}

/// Rows of the nodes that are open.
template <class Reader>
void read_open_nodes(const Reader& store, std::uint32_t id, stored_campaign& s) {
  for (const auto& tree : s.fold.trees())
    for (auto node : tree.open_nodes()) {
      node_key n{id, tree.number(), node};
      if (auto r = store.template row<node_row>(table::nodes, key_of(n.campaign, n.tree, n.node))) {
        s.rows[n] = std::move(*r);
      } else { // planned only: its row is not written before it is asked
        auto what = tree.expansion_of(node);
        s.rows[n].parents = {what.parent};
        s.rows[n].model = what.model;
        s.rows[n].memory = what.memory;
      }
    }
}

/// Calls that are out, with what came of them.
template <class Reader>
void read_open_calls(const Reader& store, std::uint32_t id, stored_campaign& s) {
  for (const auto& [t, call] : s.fold.open_calls()) {
    node_key n{id, t, call.node};
    auto stored =
        store.template row<call_row>(table::calls, key_of(n.campaign, n.tree, n.node, call.attempt));
    if (stored && !stored->open && !stored->reply_digest.empty())
      if (auto body = store.blob(stored->reply_digest))
        (stored->outcome == failure_kind::none ? s.replies : s.parts)[n] = std::move(*body);
    if (auto r = s.rows.find(n); r != s.rows.end())
      if (auto said = read_stored_prompt(store, r->second.sections_digest, call.prompt_digest))
        s.prompts[n] = std::move(*said);
    if (stored)
      s.calls[{n, call.attempt}] = std::move(*stored);
  }
  for (const auto& c : s.fold.books().agent_calls_out()) {
    auto attempt = agent_attempts + c.number;
    if (auto stored = store.template row<call_row>(table::calls, key_of(id, c.tree, c.node, attempt)))
      s.calls[{node_key{id, c.tree, c.node}, attempt}] = std::move(*stored);
  }
}

/// Folds the journal of a campaign from `start` on. Blocking: for threads that may wait. `corrupt` names the
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
    s->wall_ms = std::max(s->wall_ms, record.wall_ms);
    return static_cast<bool>(folded);
  });
  if (!read)
    return read.error();
  if (!folded)
    return folded.error();
  auto bytes = store.blob(s->row.problem_digest);
  if (!bytes)
    return bytes.error();
  auto p = problem_of(*bytes);
  if (!p)
    return p.error();
  s->problem = std::move(*p);
  read_open_nodes(store, id, *s);
  read_open_calls(store, id, *s);
  return s;
}

/// The newest campaign of that name; "NAME@2": the second of that name, from the oldest. Empty: the newest of
/// all; `invalid`, with the names, if the store has several.
result<campaign_row> find_campaign(const store_reader& store, const std::string& name);

} // namespace ke
