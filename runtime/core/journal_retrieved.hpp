#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What became of a document that was looked up for a prompt.
enum class document_fate : std::uint8_t {
  shown,   ///< it is in the prompt
  no_room, ///< chosen, but the prompt's token budget had no room for it
  lower,   ///< others came before it
};
KE_NAMES(document_fate, 3, "shown", "no_room", "lower")

/// A document that passed the index, and how it fared.
struct candidate_document {
  std::string id;
  std::int32_t score = 0; ///< in thousandths: of retrieve, or of retrieve_mixed where `by_meaning`
  document_fate fate = document_fate::lower;
  bool named =
      false; ///< by the sub-agent that looked it up; its score is 0 if retrieval did not find it, too
};
KE_FIELDS(candidate_document, x.id, x.score, x.fate, x.named)

/// The documents for a node's prompt were chosen: the query, made from the diagnosis of the parent, and what it
/// found. In the same transaction as the `asked` of this attempt, right before it, so each prompt that was paid
/// for has one. The tree does not depend on it. Earlier versions' stores have none.
struct journal_retrieved {
  std::uint32_t tree = 0, node = 0, attempt = 0;
  std::uint32_t diagnosed = 0; ///< the node whose outcome is the query: the parent; 0: a draft has none
  std::string bottleneck;      ///< of that node's diagnosis, if it is right
  std::string failure;         ///< else its verdict state
  std::string message;         ///< the beginning of its evidence, or of its failure's text
  std::string family;
  std::vector<std::string> dtypes, targets;
  std::string language;
  std::uint32_t level = 0;     ///< highest level that was open
  bool looked_up = false;      ///< false: the model reads the ke-task block alone, nothing was searched
  bool by_meaning = false;     ///< the query's vector took part
  std::uint32_t documents = 0; ///< that passed the index: target, language, family, dtype, level
  std::vector<candidate_document> candidates; ///< best first, at most most_candidate_documents
};
KE_FIELDS(journal_retrieved, x.tree, x.node, x.attempt, x.diagnosed, x.bottleneck, x.failure, x.message,
          x.family, x.dtypes, x.targets, x.language, x.level, x.looked_up, x.by_meaning, x.documents,
          x.candidates)

inline constexpr std::size_t most_candidate_documents = 12;
/// Bytes of `message` at most.
inline constexpr std::size_t most_query_text = 120;

} // namespace ke
