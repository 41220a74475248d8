#pragma once

#include "actors/call_book.hpp"
#include "actors/campaign_status.hpp"
#include "actors/directory.hpp"
#include "actors/messages.hpp"
#include "actors/stored_campaign.hpp"
#include "runtime/core/candidate_language.hpp"
#include "runtime/search/campaign_fold.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ke {

/// Why and how a session of a campaign ended.
struct campaign_outcome {
  std::string state;   ///< finished | paused | failed
  std::string reason;  ///< product.md "stop_reason"
  bool proven = false; ///< something better than the baseline was found (untimed: something correct)
  failure why;         ///< paused: out of credit...; failed: what
};

struct campaign_options {
  std::uint32_t id = 0;
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  std::string store_id;
  std::uint64_t epoch = 0;
  campaign_settings
      settings; ///< of this session; where they differ from the stored ones, they are journalled
  /// Of its backends' candidates, by backend; each of them must be there.
  std::map<std::string, std::shared_ptr<const candidate_language>> languages;
  std::shared_ptr<call_book> calls; ///< shared with the providers' record hook
  /// Applies `set KEY=VALUE` to settings; absent: refused.
  std::function<result<campaign_settings>(const campaign_settings&, const std::string& key,
                                          const std::string& value)>
      override;
  /// Reads the campaign on a thread of its own and calls back there. Called at each (re)start of the actor.
  std::function<void(std::function<void(result<std::shared_ptr<stored_campaign>>)>)> load;
  std::function<void(campaign_outcome)> ended; ///< once; any thread
  std::function<void(const std::string&)>
      publish; ///< one JSON line per event, after its commit; any thread, must not block
  std::function<std::uint64_t()> unix_ms; ///< for people
  /// Keeps an image of the fold (store.md). Called after the commit of all that it stands for, on the store
  /// thread: must not block. Absent: none are made.
  std::function<void(image_header, std::string body)> keep_image;
  std::uint64_t image_every = least_between_images; ///< records, at least; sooner at the session's end
  bool claims = true; ///< the best are measured again before the campaign ends (trust.md 2.6)
  /// Before anything is asked of a model for a tree, the reference is judged as its own candidate on the
  /// tree's targets. Off: for stand-ins that judge nothing.
  bool admission = true;
  std::chrono::nanoseconds grace =
      std::chrono::seconds{10}; ///< of an interrupt: for what is in flight to end
};

/// Ask for a campaign's live state; `done` gets it as JSON text (one element of `status --json`'s campaigns,
/// without workers).
struct status_request {
  std::function<void(std::string)> done;
};
/// Ctrl-C: no new work, let what runs end within the grace, then end the session resumably. The second time:
/// at once.
struct interrupt {};

/// Decides and records: owns the fold (index, budget, stop rule), the journal and the step loop. Each input
/// is applied to the fold and journalled in one order, so that a restart, and `replay`, get the same state.
///
///   <- capacity                      slots of its backends
///   -> expand                        to its search trees
///   <- prompt_ready                  reserve; commit the intent; -> synthesize
///   <- agent_call                    the same for a sub-agent, or refuse; <- synthesis of it; ->
///   agent_answer
///   <- answered, failed_try          journal; spend
///   <- judged, evaluation_failed, stage_changed, node_crashed, want_brief
///   -> evaluate_request              of the reference, for the admission (node 0), and of finalists, for the
///                                    claim; <- judged, evaluation_failed
///   <- steer, status_request, interrupt
///
/// Supervisor: the campaign's own (rest_for_one: campaign, search trees), permanent there; that one is
/// transient under root.
caf::behavior campaign(caf::event_based_actor* self, campaign_options options);

/// The backends of a campaign's trees: those of its targets, each once, in order.
std::vector<std::string> trees_of(const campaign_settings& settings);

} // namespace ke

KE_MESSAGE(ke::status_request)
KE_MESSAGE(ke::interrupt)
