#pragma once

#include "knowledge/library/document.hpp"
#include "knowledge/library/word_index.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A file compiled into the program.
struct embedded_document {
  std::string_view id;
  std::string_view path; ///< from the repository's root
  std::string_view text;
};

/// All documents below knowledge/constraints, guidance and hardware at build time, by id. They are part of
/// the program, so that it can be copied anywhere. Defined in a source written by CMake
/// (scripts/cmake/embed_documents.cmake).
std::span<const embedded_document> embedded_documents();

/// An immutable snapshot of documents and their index, made once and shared by all readers; new knowledge
/// makes a new one. Any thread.
class corpus {
public:
  /// Sorted by id; of two documents with one id the later one counts.
  explicit corpus(std::vector<document> documents);

  const std::vector<document>& documents() const { return documents_; }
  const word_index& index() const { return index_; }

  /// The document of this id (also written as its path), or null.
  const document* find(std::string_view id_or_path) const;

  /// Names in a folder ("" is the root): documents, and folders with "/" at the end; by name. Empty: no such
  /// folder.
  std::vector<std::string> list(std::string_view folder) const;

private:
  std::vector<document> documents_;
  word_index index_;
};

/// Documents as read: those without errors, and all findings.
struct document_set {
  std::vector<document> documents;
  std::vector<finding> findings;
};

/// The documents in the program.
document_set read_embedded();

/// Every .md file below the folder except README.md and index.md; ids are paths from there. Fails if the
/// folder can't be read or holds no document.
result<document_set> read_folder(const std::string& folder);

/// Findings beyond a single document: repeated ids, and cross-references to documents in neither set.
std::vector<finding> cross_findings(const std::vector<document>& documents,
                                    const std::vector<document>& others = {});

/// The program's documents and those of the folders; of one id the last one counts. `invalid`, with a line
/// per error, if a document is wrong.
result<std::shared_ptr<const corpus>> load_corpus(const std::vector<std::string>& folders = {});

/// The `knowledge` folders for --backend-path: of the path itself, and of each folder below it with a
/// backend.toml.
std::vector<std::string> knowledge_folders(const std::vector<std::string>& backend_paths);

/// `missing` if a path of --backend-path has no backend, in load_backends' words.
status check_backend_paths(const std::vector<std::string>& backend_paths);

/// The tree of all documents as Markdown, one line each: id, title, level, targets, signals.
/// knowledge/index.md is that of the program's own.
std::string index_text(const std::vector<document>& documents);

} // namespace ke
