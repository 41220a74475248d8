#pragma once

#include "knowledge/retrieval.hpp"
#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

// Retrieval by meaning beside retrieval by words, where [knowledge] embeddings names a server that speaks
// `/v1/embeddings`. Pure: whoever owns the connection sends `embedding_request` and gives the answer to
// `read_embeddings`. Without a server, or while it does not answer, words alone decide.

/// A vector of length 1.
using embedding = std::vector<float>;

/// What stands for a document, and for a query: at most 2,000 bytes, which every embedding model can read.
std::string text_to_embed(const document& d);
std::string text_to_embed(const signal_query& q);

/// The body of a POST to `/v1/embeddings`.
std::string embedding_request(const std::string& model, const std::vector<std::string>& texts);

/// The vectors of its answer in the order of the request's texts, scaled to length 1. `malformed` if it is no
/// such answer, has not one vector per text, or vectors of different sizes, of zeros or of numbers that are
/// none.
result<std::vector<embedding>> read_embeddings(std::string_view body, std::size_t texts);

/// Retrieval by both. `vectors` has one embedding per document of the corpus, in its order; an empty one: not
/// known yet. The documents that pass the index (retrieve's first stage) are ranked twice, by score and by
/// cosine with `wanted`, and mixed by reciprocal ranks (Cormack, Clarke, Büttcher 2009):
///
///   score(d) = 1 / (60 + rank by score) + 1 / (60 + rank by cosine)
///
/// A document that one ranking lacks gets nothing from it. With `wanted` empty this is `retrieve`.
std::vector<retrieved> retrieve_mixed(const corpus& in, const signal_query& query, const embedding& wanted,
                                      const std::vector<embedding>& vectors, std::size_t limit);

} // namespace ke
