#pragma once

#include "actors/messages/messages.hpp"
#include "actors/supervision/caf.hpp"
#include "actors/supervision/directory.hpp"
#include "knowledge/advisors/study.hpp"
#include "runtime/core/node_key.hpp"

#include <memory>
#include <string>

namespace ke {

/// How long a study may take, with all waits for a model.
inline constexpr std::chrono::minutes study_limit{10};

struct study_over {
  std::string key;
  std::string found; ///< study_talk::found
  failure why;       ///< it did not finish: `found` is empty, and another try may find more
};

/// One talk with a model about one study, paid for by the campaign of `node`.
///
///   -> agent_call         to the campaign, which reserves, journals and has it asked, or refuses
///   <- agent_answer       the next call, or the end
///   -> study_over         to its starter, once, whatever happens
///
/// Supervisor: knowledge, temporary; ends with it, with the campaign, or after study_limit.
caf::behavior sub_agent(caf::event_based_actor* self, std::shared_ptr<directory> names,
                        std::shared_ptr<const study> what, std::shared_ptr<const corpus> library,
                        node_key node, std::string model, weak_actor owner);

} // namespace ke

KE_MESSAGE(ke::study_over)
