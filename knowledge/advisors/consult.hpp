#pragma once

#include "knowledge/library/corpus.hpp"
#include "knowledge/library/embeddings.hpp"
#include "knowledge/library/retrieval.hpp"
#include "knowledge/prompt/prompt_builder.hpp"
#include "runtime/core/journal_retrieved.hpp"

namespace ke {

/// A prompt's query to the library: bottleneck and evidence of a correct parent, failure and message of a
/// failed one (features.md A37: the diagnosis comes first). Pure.
signal_query query_of(const prompt_request& request, bool stalled);

inline constexpr std::size_t most_passages = 4;

/// Fills in the request's `constraints` (first paragraphs) and `knowledge` (whole documents, best first, at
/// most most_passages): those of `chosen` in the library, then those found by retrieval. Retrieval goes by
/// words and meaning (retrieve_mixed) if `wanted`, the query's vector, and `vectors`, the documents', are
/// there; else by words alone. What was asked and found, for the journal; its node is the caller's to fill in.
/// Pure.
journal_retrieved consult(const corpus& library, prompt_request& request, bool stalled,
                          const embedding& wanted = {}, const std::vector<embedding>& vectors = {});

/// The same record for a model that is shown no documents: what would have been asked. Pure.
journal_retrieved not_consulted(const prompt_request& request, bool stalled);

/// Marks the documents that the finished prompt had no room for.
void note_dropped(journal_retrieved& record, const prompt& made);

} // namespace ke
