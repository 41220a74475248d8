#pragma once

#include "knowledge/library/retrieval.hpp"
#include "runtime/core/result.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace ke::cli {

/// The query of `--signal KEY=VALUE`..., `--target` and `--family`. The depth is 1 if a signal needs an
/// evaluated candidate, else 0. `invalid`, with the nearest right name: an unknown key or value, or a target
/// known neither to the program nor to a document. Families are an open list.
result<signal_query> read_query(const corpus& in, const std::vector<std::string>& signals,
                                const std::string& target, const std::string& family);

/// The document, or `not_found` with the nearest id.
result<const document*> wanted_document(const corpus& in, const std::string& id);

/// product.md "JSON of the other commands".
std::string search_json(const std::vector<retrieved>& found);
std::string document_json(const document& d, bool with_body);

void write_search_text(const std::vector<retrieved>& found, std::ostream& out);
void write_document_text(const document& d, std::ostream& out);

} // namespace ke::cli
