#pragma once

#include "knowledge/embeddings.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// The vectors of one embedding model: what is known of them, and which texts are to be asked for next. The
/// documents' are kept for good, the queries' as long as there is room. Of each of the two kinds at most one
/// batch is out at a time; what comes meanwhile is in the next one. Pure; one owner.
class vector_book {
public:
  static constexpr std::size_t batch = 16;         ///< texts of a request, at most
  static constexpr std::size_t most_queries = 512; ///< kept
  enum class kind { documents, queries };

  /// Documents. Returns those heard of for the first time: the owner looks for each where vectors are kept,
  /// then says `found` or `lacking`.
  std::vector<std::string> note(const std::vector<std::string>& texts);
  void found(const std::string& text, embedding vector);
  void lacking(const std::string& text);
  /// Nothing of the documents is left to be looked for or asked.
  bool complete() const { return looked_for_ == 0 && documents_.empty() && out_[0].empty(); }
  /// Null: not known; empty: the server refuses the text.
  const embedding* of_document(const std::string& text) const;

  /// A query's, if it is known; else null, and it is asked for with the next batch.
  const embedding* of_query(const std::string& text);

  /// What to ask now; empty: nothing, or a batch of this kind is out. Say how it ended.
  std::vector<std::string> next(kind which);
  std::size_t asked(kind which) const { return out_[which == kind::queries].size(); } ///< texts that are out
  /// The texts that have a vector now, in the batch's order.
  std::vector<std::string> answered(kind which, std::vector<embedding> vectors);
  /// The server does not take these texts, though it is there: smaller batches, down to a single text, which
  /// is given up. A query is given up at once.
  void refused(kind which);
  /// No answer. Documents will be asked for again, queries are forgotten: nobody waits for them any longer.
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
