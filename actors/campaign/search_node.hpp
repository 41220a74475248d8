#pragma once

#include "actors/knowledge/library.hpp"
#include "actors/messages/messages.hpp"
#include "actors/supervision/directory.hpp"
#include "knowledge/prompt/node_summaries.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/text/candidate_language.hpp"

#include <map>

namespace ke {

class store_port;
struct node_summary;
struct problem;

/// What all nodes of a tree share. Immutable except the ports; outlives the nodes.
struct tree_context {
  std::uint32_t campaign = 0, tree = 0;
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  std::shared_ptr<const ke::problem> problem;
  std::string problem_digest;
  std::string backend;
  std::shared_ptr<const candidate_language> language; ///< of the backend; not null
  std::string symbol;                                 ///< that an answer's source must define
  std::vector<std::string> devices;                   ///< pattern per target
  bool timed = true;
  double floor = 0;                                                 ///< of the goal; 0: none
  std::shared_ptr<const ke::library> library;                       ///< null: prompts hold no documents
  std::shared_ptr<const embedding_settings> embeddings;             ///< null: documents are found by words
  agent_settings agents;                                            ///< which sub-agents help with prompts
  std::shared_ptr<text_pool> texts = std::make_shared<text_pool>(); ///< of the prompts in flight
};

/// One candidate on its way: prompt, answer, evaluation. Waking after passivation and after a crash is one
/// path: the context says how far it is.
///
///   -> study_wanted       to knowledge, if sub-agents are configured; <- study_found for each, then
///   -> vector_wanted      to knowledge, if an embeddings server is configured; <- vector_found, or the
///                         deadline, then
///   -> prompt_ready       to the campaign, which reserves, journals and has it asked
///   <- synthesis          -> answered to the campaign; with a source: evaluate_request to the evaluator
///   <- judged (per target), evaluation_failed
///   -> summary_loaded     summaries it had to read, for its tree's cache
///   <- may_rest           idle for long, or too many are awake
///   -> retire             done, or it rests
///
/// Supervisor: node_supervisor; temporary: the campaign hears of a crash and wakes it once more; the next one
/// poisons it.
caf::behavior search_node(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree,
                          node_context context,
                          std::map<std::uint32_t, std::shared_ptr<const node_summary>> summaries);

} // namespace ke
