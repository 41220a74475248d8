#pragma once

#include "knowledge/corpus.hpp"
#include "knowledge/embeddings.hpp"
#include "knowledge/prompt.hpp"
#include "knowledge/retrieval.hpp"

namespace ke {

/// What a prompt's state asks of the library (features.md A37: the diagnosis comes first, its fields are the
/// query): bottleneck and evidence of a parent that is right, failure and message of one that failed. Pure.
signal_query query_of(const prompt_request& request, bool stalled);

inline constexpr std::size_t most_passages = 4;

/// Fills in the request's `constraints` (first paragraphs) and `knowledge` (whole documents, best first, at
/// most most_passages): those of `chosen` that the library has, then what retrieval finds. With `wanted`, the
/// vector of what is asked, and `vectors`, those of the documents, by words and by meaning (retrieve_mixed);
/// else by words alone. Pure.
void consult(const corpus& library, prompt_request& request, bool stalled, const embedding& wanted = {},
             const std::vector<embedding>& vectors = {});

} // namespace ke
