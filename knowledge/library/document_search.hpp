#pragma once

#include "knowledge/library/corpus.hpp"
#include "knowledge/library/retrieval.hpp"
#include "runtime/llm/prompt.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A model looks up the documents for one diagnosis. It sees the library's root, answers with commands (LIST,
/// SEARCH, READ, CHOOSE; one per line), sees their results, and so on until it chooses. All its other text is
/// ignored: only existing documents for this target get into a prompt. `retrieve` does the same by rule.
/// Pure; one thread.
class document_search {
public:
  static constexpr std::size_t most_rounds = 4, most_commands = 6, most_chosen = 4;
  static constexpr std::size_t most_shown_bytes = 12u << 10; ///< of documents in one round

  /// `facts`: the situation in words, already safe to show (facts_of). The query's target, family and dtypes
  /// decide which documents there are. Its level does not: expert pages are open.
  document_search(std::shared_ptr<const corpus> library, signal_query query, std::string facts);

  prompt next() const;
  /// Obeys the answer. True: it is over, see `chosen`.
  bool take(std::string_view answer);
  /// Ids, best first; empty: nothing was found.
  const std::vector<std::string>& chosen() const { return chosen_; }

private:
  void list(std::string_view folder);
  void search(std::string_view words);
  void read(std::string_view id);
  void choose(std::string_view ids);
  const document* find(std::string_view id) const;

  std::shared_ptr<const corpus> library_;
  signal_query query_;
  std::vector<const document*> open_; ///< by id
  std::string facts_, seen_;
  std::vector<std::string> read_, chosen_;
  std::size_t rounds_ = 0, shown_ = 0;
};

} // namespace ke
