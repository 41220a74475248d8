#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/messages/call_messages.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/shared_text.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace ke {

/// The rows of open nodes, as they are stored (store.md): each function notes one event of a node's life in
/// its row. A row is forgotten when its node ends. Owns the rows; the fold decides, this only writes down.
/// Not thread-safe.
class node_rows {
public:
  explicit node_rows(const campaign_journal& journal) : journal_{journal} {}

  /// Those of nodes that an earlier session left open.
  void load(std::map<node_key, node_row> rows) { rows_ = std::move(rows); }
  /// Makes an empty one if there is none.
  node_row& of(const node_key& n) { return rows_[n]; }
  std::size_t size() const { return rows_.size(); }
  /// Why the last attempt's answer was of no use; empty without a row.
  std::string note_of(const node_key& n) const;

  /// A step made it. Its row is not stored before it is asked: the journal's step makes it again.
  node_key planned(std::uint32_t tree, const expansion& what);
  /// A dispatcher was put together: it has parents in the index, and a plan.
  void assembled(store_batch& batch, const node_key& n, const std::string& plan);
  /// Its prompt leaves. Stores the prompt's sections and the row.
  void asked(store_batch& batch, const synthesis_request& request);
  /// An answer came; the caller stores the row, for it may not be the last event.
  void answered(const node_key& n, const std::string& note);
  /// It has a candidate. Stores the row; a source that the tree had before makes it a duplicate.
  void has_source(store_batch& batch, const node_key& n, const journal_replied& r);
  void judged(const node_key& n, const journal_judged& r);

  void put(store_batch& batch, const node_key& n);
  /// The search is over: an open node is cancelled. Stores both of its rows and keeps this one, because late
  /// answers may still name it.
  void cancelled(store_batch& batch, const node_key& n, const std::string& why);
  /// It has ended in the fold. Stores both of its rows, and forgets it.
  node_row close(store_batch& batch, const node_key& n);

  /// Its actor crashed; how often it did in this session.
  unsigned crashed(const node_key& n) { return ++crashes_[n]; }

private:
  /// The digest of a text that many prompts share, which the batch holds if none before it did.
  std::string stored(store_batch& batch, const shared_text& text);

  const campaign_journal& journal_;
  std::map<node_key, node_row> rows_;
  std::deque<std::pair<shared_text, std::string>>
      stored_; ///< the newest texts in the store, with their digests
  std::map<node_key, unsigned> crashes_;
};

/// Spans of a node's life for the trace (runtime/observe/trace.hpp), as far as this session saw them.
void trace_life(const campaign_journal& journal, const node_key& n, const node_row& row);

} // namespace ke
