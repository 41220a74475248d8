#pragma once

#include "runtime/core/candidate_language.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/source_template.hpp"
#include "runtime/llm/provider.hpp"

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
  std::string_view parent = {}; ///< the source that edits apply to; empty: there is none
};

/// A further candidate of the same answer.
struct candidate_text {
  std::string source; ///< empty: it can't be used,
  std::string plan;   ///< and this says why, beginning with the kind of failure
};

struct parsed_answer {
  failure why; ///< none, no_code, too_large, or the completion's own failure; text names the limit and is fit
               ///< for the next prompt
  std::string source;    ///< the candidate; with too_large: what was refused, so that nothing paid is lost
  std::string rationale; ///< the answer's prose before the code, at most 2,000 bytes
  std::vector<candidate_text> more;         ///< what else it holds, in its order
  std::vector<source_parameter> parameters; ///< of `source`, which stands at one of their points
};

/// Finds the candidate in a model's answer. An answer of several candidates has a line `### Candidate: plan`
/// before each; at most most_candidates_of_answer are read. Edits of the parent (patch.hpp) are applied to
/// it. Otherwise: of the fenced blocks with one of the language's names (or without a name) the last that
/// defines the symbol (in a language of which little is known: that has its name in it), else one in another
/// language that does where that can be told (assembly and LLVM IR too), else the largest; an unfenced answer
/// that looks like code as a whole is taken as such. Pure.
parsed_answer parse_answer(std::string_view text, const answer_rule& rule);

/// The same for a whole completion. A truncated answer that holds a finished code block with the symbol is
/// accepted; every other failure passes through.
parsed_answer read_answer(const completion& reply, const answer_rule& rule);

/// Whether the model is asked once more, with the parser's message, after an answer that could not be used.
/// `attempt` counts from 1.
bool worth_a_repair(failure_kind kind, std::uint32_t attempt);

/// One fenced block: info string (lower case, first word) and content. An unclosed last fence runs to the
/// end, `closed` false.
struct code_block {
  std::string info;
  std::string text;
  bool closed = true;
  std::size_t offset = 0; ///< of the opening fence
};
std::vector<code_block> code_blocks(std::string_view text);

} // namespace ke
