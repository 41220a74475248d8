#pragma once

#include "knowledge/library/embeddings.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// The vectors of one embedding model: known ones, and texts to ask for next. Keeps documents' for good,
/// queries' while there is room. Of each of these two kinds one batch at most is out; later texts go into the
/// next. Pure; one owner.
class vector_book {
public:
  static constexpr std::size_t batch = 16;         ///< texts of a request, at most
  static constexpr std::size_t most_queries = 512; ///< kept
  enum class kind { documents, queries };

  /// Adds documents. Returns new ones: for each the owner looks where vectors are kept, then calls `found` or
  /// `lacking`.
  std::vector<std::string> note(const std::vector<std::string>& texts);
  void found(const std::string& text, embedding vector);
  void lacking(const std::string& text);
  /// Whether no document is left to look for or ask.
  bool complete() const { return looked_for_ == 0 && documents_.empty() && out_[0].empty(); }
  /// Null: not known; empty: the server refuses the text.
  const embedding* of_document(const std::string& text) const;

  /// A query's, if known; else null, and the next batch asks for it.
  const embedding* of_query(const std::string& text);

  /// The texts to ask now; empty: none, or a batch of this kind is out. Report how it ended.
  std::vector<std::string> next(kind which);
  std::size_t asked(kind which) const { return out_[which == kind::queries].size(); } ///< texts that are out
  /// The texts that now have a vector, in the batch's order.
  std::vector<std::string> answered(kind which, std::vector<embedding> vectors);
  /// The server is there but refuses these texts: smaller batches, down to a single text, which is given up.
  /// A query is given up at once.
  void refused(kind which);
  /// No answer. Documents will be asked for again; queries are forgotten, because nobody waits any longer.
  void failed(kind which);

private:
  std::vector<std::string>& out(kind which) { return out_[which == kind::queries]; }
  void keep_query(const std::string& text, embedding vector);

  std::map<std::string, std::optional<embedding>> known_; ///< documents; nullopt: not yet
  std::deque<std::string> documents_;                     ///< to be asked for
  std::size_t looked_for_ = 0;
  std::size_t documents_at_once_ = batch;
  std::map<std::string, embedding> answers_; ///< to queries
  std::deque<std::string> oldest_;           ///< of them
  std::deque<std::string> queries_;          ///< to be asked for
  std::vector<std::string> out_[2];
};

} // namespace ke
