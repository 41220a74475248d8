#pragma once

#include "actors/campaign/campaign_outcome.hpp"
#include "actors/llm/call_book.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/records/stored_campaign.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"
#include "runtime/store/image_file.hpp"
#include "runtime/store/store_port.hpp"
#include "runtime/text/candidate_language.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ke {

class directory;

/// What a campaign's actor and its parts are given at each start.
struct campaign_options {
  std::uint32_t id = 0;
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  std::string store_id;
  std::uint64_t epoch = 0;
  /// Of this session; differences from the stored ones are journalled.
  campaign_settings settings;
  /// The language of each backend's candidates; one for every backend of the campaign.
  std::map<std::string, std::shared_ptr<const candidate_language>> languages;
  std::shared_ptr<call_book> calls; ///< shared with the providers' record hook
  /// Applies `set KEY=VALUE` to settings; absent: refused.
  std::function<result<campaign_settings>(const campaign_settings&, const std::string& key,
                                          const std::string& value)>
      override;
  /// Reads the campaign on a thread of its own and calls back there. Called at each (re)start of the actor.
  std::function<void(std::function<void(result<std::shared_ptr<stored_campaign>>)>)> load;
  std::function<void(campaign_outcome)> ended; ///< once; any thread
  /// One JSON line per event, after its commit; any thread, must not block.
  std::function<void(const std::string&)> publish;
  std::function<std::uint64_t()> unix_ms; ///< for people
  /// Keeps an image of the fold (store.md). Called on the store thread after the commit of all that it stands
  /// for: must not block. Absent: no images.
  std::function<void(image_header, std::string body)> keep_image;
  std::uint64_t image_every = least_between_images; ///< records, at least; sooner at the session's end
  bool claims = true; ///< the best are measured again before the campaign ends (trust.md 2.6)
  /// The reference is judged as its own candidate on all targets of a tree before a model is asked for that
  /// tree. Off: for stand-ins that judge nothing.
  bool admission = true;
  /// For what is in flight to end after an interrupt.
  std::chrono::nanoseconds grace = std::chrono::seconds{10};
};

/// The backends of a campaign's trees: those of the targets, each once, in order.
std::vector<std::string> trees_of(const campaign_settings& settings);

} // namespace ke
