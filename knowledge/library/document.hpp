#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The purpose of a document. `skill`: learnt by campaigns, kept in the store, never a file.
enum class document_kind : std::uint8_t { constraint, guidance, hardware, skill };
KE_NAMES(document_kind, 4, "constraint", "guidance", "hardware", "skill")

/// What a tool must have said about a candidate for this document to help.
struct document_signals {
  std::vector<std::string> bottleneck; ///< words of diagnosis.bottleneck
  std::vector<std::string> cause;      ///< words of diagnosis.cause
  std::vector<std::string> failure;    ///< verdict states
  std::vector<std::string> message;    ///< fragments of tools' messages, lower case
};

/// One page of knowledge for the model (docs/manual/knowledge.md). An empty list of families, dtypes or languages
/// means all.
struct document {
  std::string id;   ///< path below its folder of documents without ".md": "guidance/memory/cache-blocking"
  std::string path; ///< as shown to people: "knowledge/guidance/memory/cache-blocking.md"
  std::string title;
  document_kind kind = document_kind::guidance;
  std::vector<std::string> targets; ///< names or globs: "x86-64-*", "*"; "!riscv-v": not these
  std::vector<std::string> families;
  std::vector<std::string> dtypes;
  std::vector<std::string> languages; ///< of candidates, as backends name them: "c++"
  std::vector<std::string> uses;      ///< names; the problem's reference holds one of them: "exp"; empty: any
  document_signals signals;
  std::uint32_t level = 1; ///< 1 everyone should know, 2 advanced, 3 expert
  std::vector<std::string> sources;
  std::string body;            ///< Markdown after the title line, without blank space around it
  std::uint32_t body_line = 0; ///< of the body's beginning in its file, from 1; 0: no file
  double prior = 0;            ///< of a skill: its usefulness so far (skill_record.hpp), 0..1
};

/// Something wrong or doubtful in a document. Errors keep it out of a corpus, warnings don't.
struct finding {
  std::string path;
  std::uint32_t line = 0; ///< from 1; 0: the document as a whole
  bool error = true;
  std::string text;
};

/// "path:line: error: text".
std::string to_line(const finding& f);

/// `document` exists if no finding is an error.
struct parsed_document {
  std::optional<ke::document> document;
  std::vector<finding> findings; ///< in the order of the file
};

/// Reads one file: TOML between lines "+++", then "# Title" and the body. Reports all faults at once: unknown
/// and missing keys, wrong types, unknown words with the nearest right one, another title line, an empty
/// body. Warnings: likely slips (a target nearly equal to a known one, message fragments in upper case, a
/// very short or long body). Pure.
parsed_document parse_document(std::string_view id, std::string_view path, std::string_view text);

/// The targets in the program's own documents (product.md); backends bring others.
const std::vector<std::string>& known_targets();
/// memory, compute, latency, occupancy, frontend, overhead.
const std::vector<std::string>& known_bottlenecks();
/// The verdict states with which a document can help.
const std::vector<std::string>& known_failures();
/// f64 ... bool.
const std::vector<std::string>& known_dtypes();

/// Whether the pattern ("*" stands for any text, also none) fits all of `name`.
bool glob_matches(std::string_view pattern, std::string_view name);

/// The ids in the body's cross-references `[[id]]`, with their lines within the body, from 0.
std::vector<std::pair<std::string, std::uint32_t>> references_in(std::string_view body);

} // namespace ke
