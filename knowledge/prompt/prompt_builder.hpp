#pragma once

#include "runtime/core/memory_kind.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/search/index/operation_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

struct candidate_language;
struct device_info;
struct node_summary;
struct problem;
struct timing_summary;

/// A document of the knowledge base found for a node, or a constraint for all.
struct passage {
  std::string id;
  std::string title;
  std::shared_ptr<const std::string> text;
};

/// A document's section in a prompt is named by this and its id.
inline constexpr const char* section_of_document = "knowledge:";

/// Last steps to the parent shown as diffs: the summaries of these ancestors, and of `uncles`, need their
/// source.
inline constexpr std::size_t shown_changes = 2;

struct prompt_request {
  const ke::problem* problem = nullptr;
  const device_info* target = nullptr;
  const candidate_language* language = nullptr; ///< that the answer must be in; not null
  const timing_summary* reference = nullptr;    ///< what the reference took against itself; null: not known
  operation_kind operation = operation_kind::draft;
  std::uint32_t draft = 0;
  std::uint64_t seed = 0;
  memory_kind memory = memory_kind::parent;
  std::shared_ptr<const node_summary> parent;                 ///< null for drafts
  std::shared_ptr<const node_summary> partner;                ///< second parent of a crossover, else null
  std::vector<std::shared_ptr<const node_summary>> ancestors; ///< nearest first
  std::vector<std::shared_ptr<const node_summary>> siblings;  ///< ended children of the parent
  std::vector<std::shared_ptr<const node_summary>> uncles; ///< siblings of the parent that gained, best first
  std::vector<std::shared_ptr<const node_summary>> archive; ///< the best of the rest of the tree, best first
  std::uint32_t ordinal = 0;            ///< number of this child among the parent's: decides the direction
  std::vector<std::uint32_t> in_flight; ///< ordinals of siblings being asked or judged
  std::vector<std::string> tried;       ///< normalised digests, newest last
  std::vector<std::string> hints;       ///< a person's, from `hint NODE TEXT`
  std::vector<passage> constraints;     ///< the same for every prompt of the tree
  std::vector<passage> knowledge;       ///< retrieved for this node, best first
  std::string past;                ///< a model's summary of the way to the parent (lineage_summary), or empty
  std::vector<std::string> chosen; ///< documents that a model has looked up (document_search), best first
  answer_kind form = answer_kind::any; ///< in which the change is asked for
  std::string repair;         ///< why the answer to this very node could not be used, empty at the first try
  double floor = 0;           ///< below which no workload's speedup may be, as the goal says; 0: none
  text_pool* texts = nullptr; ///< holds once what other prompts say, too; null: nothing is shared
  std::uint64_t budget_tokens = 0; ///< of the whole prompt (token_estimate); 0: no limit
};

/// The one prompt builder (A11): the run-time state chooses, orders and weighs sections; there is no template
/// per phase. First the `ke-task` block (ke_task.md), then sections equal for all nodes of a tree, so that
/// providers can cache them, then this node's own. Pure; O(text).
prompt build_prompt(const prompt_request& request);

} // namespace ke
