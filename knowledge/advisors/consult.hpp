#pragma once

#include "knowledge/library/corpus.hpp"
#include "knowledge/library/embeddings.hpp"
#include "knowledge/library/retrieval.hpp"
#include "knowledge/prompt/prompt_builder.hpp"

namespace ke {

/// A prompt's query to the library: bottleneck and evidence of a correct parent, failure and message of a
/// failed one (features.md A37: the diagnosis comes first). Pure.
signal_query query_of(const prompt_request& request, bool stalled);

inline constexpr std::size_t most_passages = 4;

/// Fills in the request's `constraints` (first paragraphs) and `knowledge` (whole documents, best first, at
/// most most_passages): those of `chosen` in the library, then those found by retrieval. Retrieval goes by
/// words and meaning (retrieve_mixed) if `wanted`, the query's vector, and `vectors`, the documents', are
/// there; else by words alone. Pure.
void consult(const corpus& library, prompt_request& request, bool stalled, const embedding& wanted = {},
             const std::vector<embedding>& vectors = {});

} // namespace ke
