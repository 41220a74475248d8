#pragma once

#include "runtime/core/types.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/search/tree.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// What a prompt needs to know of an evaluated node: kept small, immutable and shared.
struct node_card {
  std::uint32_t node = 0;
  node_state state = node_state::planned;
  timing_decision decision = timing_decision::none;
  std::optional<double> score;
  std::string source;        ///< empty for siblings: plans and results only
  std::string source_digest; ///< normalised
  std::string plan;          ///< first sentence of the answer's rationale, bounded
  std::string reason;        ///< of a failure: first line, bounded
  std::string log;           ///< bounded text of compiler or candidate, quoted in the prompt
  std::optional<mismatch> first_failure;
  std::optional<timing_summary> timing;
  std::optional<ke::diagnosis> diagnosis;
};

struct prompt_request {
  const ke::problem* problem = nullptr;
  const device_info* target = nullptr;
  std::string language; ///< of the fenced block the answer must hold: "cpp"
  operation_kind operation = operation_kind::draft;
  std::uint32_t draft = 0;
  std::uint64_t seed = 0;
  memory_kind memory = memory_kind::parent;
  std::shared_ptr<const node_card> parent;                 ///< null for drafts
  std::vector<std::shared_ptr<const node_card>> ancestors; ///< nearest first
  std::vector<std::shared_ptr<const node_card>> siblings;  ///< evaluated children of the parent
  std::vector<std::string> tried;                          ///< normalised digests, newest last
  std::vector<std::string> hints;                          ///< a person's, from `hint NODE TEXT`
  std::uint64_t answer_limit_bytes = 256u << 10;           ///< stands in the prompt
};

/// The one prompt builder (A11): sections are chosen by the run-time state, never by a template per phase.
/// The first is the `ke-task` block (ke_task.md). Pure.
prompt build_prompt(const prompt_request& request);

/// The C prototype that a native candidate must define, e.g. `extern "C" void kernel(const float* x, float*
/// y, int64_t M, int64_t N)`.
std::string native_signature(const problem& p);

/// The JSON after `// ke-point:` in a source, or empty.
std::string point_of(std::string_view source);

} // namespace ke
