#pragma once

#include "knowledge/library/retrieval.hpp"
#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

// Retrieval by meaning beside retrieval by words, if [knowledge] embeddings names a server with
// `/v1/embeddings`. Pure: the connection's owner sends `embedding_request` and passes the answer to
// `read_embeddings`. Without a server, or an answer, words alone decide.

/// A vector of length 1.
using embedding = std::vector<float>;

/// The text of a document, and of a query: at most 2,000 bytes, which every embedding model accepts.
std::string text_to_embed(const document& d);
std::string text_to_embed(const signal_query& q);

/// The body of a POST to `/v1/embeddings`.
std::string embedding_request(const std::string& model, const std::vector<std::string>& texts);

/// The answer's vectors in order of the request's texts, scaled to length 1. `malformed`: no such answer, not
/// one vector per text, or vectors of different sizes, of zeros, or of values that are no numbers.
result<std::vector<embedding>> read_embeddings(std::string_view body, std::size_t texts);

/// Retrieval by both. `vectors` has one embedding per document of the corpus, in order; an empty one: not yet
/// known. The documents that pass the index (retrieve's first stage) are ranked by score and by cosine with
/// `wanted`, and mixed by reciprocal ranks (Cormack, Clarke, Büttcher 2009):
///
///   score(d) = 1 / (60 + rank by score) + 1 / (60 + rank by cosine)
///
/// A term is 0 if its ranking lacks the document. With `wanted` empty this is `retrieve`.
std::vector<retrieved> retrieve_mixed(const corpus& in, const signal_query& query, const embedding& wanted,
                                      const std::vector<embedding>& vectors, std::size_t limit);
/// Whether retrieve_mixed goes by meaning, too, with these.
bool is_by_meaning(const corpus& in, const embedding& wanted, const std::vector<embedding>& vectors);

} // namespace ke
