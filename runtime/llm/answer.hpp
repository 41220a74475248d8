#pragma once

#include "runtime/core/result.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/text/candidate_language.hpp"
#include "runtime/text/source_template.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// What a backend accepts as a candidate.
struct answer_rule {
  candidate_language language; ///< the backend's
  std::string symbol;          ///< what the source must define ("kernel", "ModelNew"); empty: anything
  std::size_t limit_bytes = 256u << 10;
  /// The source that edits apply to, and whose marked regions bind (regions.hpp); empty: there is none.
  std::string_view parent = {};
};

/// A further candidate of the same answer.
struct candidate_text {
  std::string source; ///< empty: of no use
  std::string plan;   ///< of a useless one: why, beginning with the kind of failure
};

struct parsed_answer {
  /// None, no_code, too_large, markers, or the completion's own failure. The text names the limit and fits into the
  /// next prompt.
  failure why;
  std::string source;    ///< the candidate; with too_large: the refused text, so that nothing paid is lost
  std::string rationale; ///< the answer's prose before the code, at most 2,000 bytes
  std::vector<candidate_text> more;         ///< its other candidates, in order
  std::vector<source_parameter> parameters; ///< of `source`, which stands at one of their points
};

/// Finds the candidate in a model's answer. Before each of several candidates stands a line `### Candidate:
/// plan`; at most most_candidates_of_answer are read. Edits of the parent (patch.hpp) are applied. Otherwise
/// the first of these: the last fenced block that defines the symbol and has one of the language's names or
/// none (where little is known of the language, containing the symbol is enough); a block in another language
/// that does, assembly and LLVM IR too; the largest block. An unfenced answer that looks like code is taken
/// whole. Pure.
parsed_answer parse_answer(std::string_view text, const answer_rule& rule);

/// The same for a whole completion. A truncated answer with a finished code block that defines the symbol is
/// accepted; every other failure passes through.
parsed_answer read_answer(const completion& reply, const answer_rule& rule);

/// Whether the model is asked once more, with the parser's message, after a useless answer. `attempt` counts
/// from 1.
bool worth_a_repair(failure_kind kind, std::uint32_t attempt);

/// One fenced block: info string (lower case, first word) and content. An unclosed last one runs to the end,
/// with `closed` false.
struct code_block {
  std::string info;
  std::string text;
  bool closed = true;
  std::size_t offset = 0; ///< of the opening fence
};
std::vector<code_block> code_blocks(std::string_view text);

} // namespace ke
