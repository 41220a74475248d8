#pragma once

#include "actors/knowledge/embedding_cache.hpp"
#include "actors/knowledge/library.hpp"
#include "actors/knowledge/study_cache.hpp"
#include "actors/supervision/caf.hpp"
#include "actors/supervision/directory.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ke {

class store_port;
struct candidate_language;
struct device_info;
struct problem;

struct knowledge_options {
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  http_port* http = nullptr; ///< to embeddings servers
  std::string store_id;
  std::shared_ptr<library> shelf;        ///< where snapshots go
  std::shared_ptr<const corpus> written; ///< the documents that no campaign has learnt
};

/// A campaign has a winner: skills are distilled from the steps to it. `done` is called when they are durable
/// (or nothing was learnt); any thread.
struct learn {
  std::uint32_t campaign = 0, tree = 0;
  std::string campaign_name;
  std::vector<std::uint32_t> chain; ///< from the first candidate to the winner
  std::shared_ptr<const ke::problem> problem;
  std::shared_ptr<const candidate_language> language; ///< of the tree's candidates; not null
  std::shared_ptr<const device_info> target;
  std::vector<std::string> claim_verdicts; ///< of the winner, by device: keys in the table `verdicts`
  std::function<void()> done;
  bool seeded = false; ///< the chain's first is a warm start's
};
/// An improvement or a repair was judged; its prompt had shown these skills (perhaps none).
struct skills_used {
  std::vector<std::string> ids;
  bool won = false;     ///< gained over its parent, beyond the noise; a repair: it is right
  bool repairs = false; ///< counts for skills that repair, and for these alone
};

/// Somebody else wrote the table `skills` (`store merge`): read it again.
struct skills_changed {};

/// Owns what is learnt. In this process nobody else writes the store's table `skills`, so parallel campaigns
/// lose nothing of each other. Publishes a new snapshot of the library when a skill comes, changes or is
/// quarantined. For campaigns with an embeddings server, gets vectors of documents and queries
/// (embedding_cache.hpp); for those with models for sub-agents, starts these (study_cache.hpp).
///
///   <- learn, skills_used, skills_changed
///   <- vector_wanted      -> vector_found
///   <- study_wanted       -> study_found; <- study_over from sub-agents, its children, temporary
///
/// Supervisor: root, permanent; a restart reads the tables again.
caf::behavior knowledge(caf::event_based_actor* self, knowledge_options options);

} // namespace ke

KE_MESSAGE(ke::learn)
KE_MESSAGE(ke::skills_used)
KE_MESSAGE(ke::skills_changed)
