#pragma once

#include "knowledge/document.hpp"
#include "knowledge/word_index.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A file as it is compiled into the program.
struct embedded_document {
  std::string_view id;
  std::string_view path; ///< from the repository's root
  std::string_view text;
};

/// All documents below knowledge/constraints, guidance and hardware at the time of the build, by id. In the
/// program itself, so that it knows them wherever it is copied to. Defined in a source that CMake writes
/// (scripts/cmake/embed_documents.cmake).
std::span<const embedded_document> embedded_documents();

/// An immutable snapshot of documents and their index: made once, shared by all who search; whoever learns
/// something makes a new one. Any thread may read it.
class corpus {
public:
  /// Of two documents with one id the later one counts. Sorted by id.
  explicit corpus(std::vector<document> documents);

  const std::vector<document>& documents() const { return documents_; }
  const word_index& index() const { return index_; }

  /// The document of this id (also written as its path), or null.
  const document* find(std::string_view id_or_path) const;

  /// What lies in a folder ("" is the root): names of documents, and of folders with "/" at their end; by
  /// name. Empty if there is no such folder.
  std::vector<std::string> list(std::string_view folder) const;

private:
  std::vector<document> documents_;
  word_index index_;
};

/// What was read of a set of documents: those without errors, and all that was found.
struct document_set {
  std::vector<document> documents;
  std::vector<finding> findings;
};

/// The documents in the program.
document_set read_embedded();

/// Every .md file below the folder but README.md and index.md; ids are paths from there. Fails if the folder
/// can't be read or holds no document.
result<document_set> read_folder(const std::string& folder);

/// Findings that no single document has: ids that repeat, and cross-references to documents that are in
/// neither set.
std::vector<finding> cross_findings(const std::vector<document>& documents,
                                    const std::vector<document>& others = {});

/// The program's documents and those of the folders; of one id, the last one counts. `invalid` with one line
/// per error if a document is wrong.
result<std::shared_ptr<const corpus>> load_corpus(const std::vector<std::string>& folders = {});

/// The `knowledge` folders of what --backend-path names: of the path itself and of each folder below it
/// that holds a backend.toml.
std::vector<std::string> knowledge_folders(const std::vector<std::string>& backend_paths);

/// `missing` for a path of --backend-path where there is no backend, as load_backends says it.
status check_backend_paths(const std::vector<std::string>& backend_paths);

/// The tree of all documents as Markdown, one line each: id, title, level, targets, signals. What
/// knowledge/index.md holds for the program's own.
std::string index_text(const std::vector<document>& documents);

} // namespace ke
