#pragma once

#include "actors/knowledge/library.hpp"
#include "actors/knowledge/sub_agent.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/store/store_port.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ke {

/// A prompt waits for a study's finding. `to` gets one study_found, unless the knowledge actor ends.
struct study_wanted {
  std::shared_ptr<const study> what;
  node_key node;     ///< whose prompt it is: its campaign pays
  std::string model; ///< of the sub-agent
  weak_actor to;
  std::uint32_t attempt = 0;
};
struct study_found {
  std::uint32_t attempt = 0;
  study_kind kind = study_kind::memory;
  std::string found; ///< empty: nothing, rules decide
};
/// The store's finding for a key, or nothing.
struct study_read {
  std::string key;
  std::string found;
};

/// The sub-agents' work, within the knowledge actor. Each study is made once, kept in the store's table
/// `shared`, and serves all prompts that want the same, in later campaigns, too. One thread: the actor's.
class study_cache {
public:
  study_cache(caf::event_based_actor* self, std::shared_ptr<directory> names, store_port* store,
              std::shared_ptr<library> shelf)
      : self_{self}, names_{std::move(names)}, store_{store}, shelf_{std::move(shelf)} {}

  void wanted(study_wanted& w);
  void read(const study_read& r);
  void over(const study_over& o);
  void down(const caf::down_msg& msg);

private:
  struct order {
    std::vector<study_wanted> who; ///< the first one's campaign pays
    caf::actor agent;              ///< null while the store is read
  };
  void finish(const std::string& key, const std::string& found);

  caf::event_based_actor* self_;
  std::shared_ptr<directory> names_;
  store_port* store_;
  std::shared_ptr<library> shelf_;
  std::map<std::string, order> open_;                  ///< by key
  std::unordered_map<std::string, std::string> known_; ///< by key
};

} // namespace ke

KE_MESSAGE(ke::study_wanted)
KE_MESSAGE(ke::study_found)
KE_MESSAGE(ke::study_read)
