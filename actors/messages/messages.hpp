#pragma once

#include "actors/supervision/address.hpp"
#include "actors/supervision/caf.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/fleet/device_class.hpp"
#include "runtime/llm/answer.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/search/campaign/expansion.hpp"
#include "runtime/text/source_template.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Messages between actors of one process. Results for nodes go to (campaign, tree, node) through the
// node_supervisor, never to a handle: the node may have passivated or crashed meanwhile. The life of one
// candidate:
//
//   campaign        node_supervisor      search_node      synthesizer     llm_request      evaluator
//      |    expand       |                |                |               |               |
//      |---------------->|    (spawn)     |                |               |               |
//      |                 |--------------->|                |               |               |
//      |             prompt_ready         |                |               |               |
//      |<---------------------------------|                |               |               |
//      | [reserve, commit the intent]     |                |               |               |
//      |------------------- synthesize ------------------->|    (spawn)    |               |
//      |                 |                |                |-------------->| [store answer]|
//      |                 |             synthesis           |  call_ended   |               |
//      |                 |<--------------------------------|<--------------|               |
//      |                 |-- synthesis -->|                                                |
//      |              answered            |               evaluate_request                 |
//      |<---------------------------------|----------------------------------------------->|
//      |<------------------------------------ judged --------------------------------------|
//      | [commit the verdict, then acknowledge the worker and tell people]                 |
//      |---- judged ---->|--- judged ---->|                                                |
//      |                 |     retire     |                                                |
//      |                 |<---------------|                                                |

namespace ke {

struct node_summary;
struct problem;
struct store_batch;
struct verdict;

struct synthesis;
struct failed_try;

/// A prompt on its way to a model.
struct synthesis_request {
  node_key node;
  std::uint32_t attempt = 0;
  std::string model;
  ke::prompt prompt;
  std::string prompt_digest;
  std::uint32_t occurrence = 0;
  reservation reserved;
  std::optional<address<synthesis, failed_try>> reader =
      {};                 ///< who gets the outcome; empty: the tree's node_supervisor
  std::string store = {}; ///< its id
  bool again = false;     ///< of an earlier session: perhaps asked under `place`, as earlier versions did

  std::string place() const {
    return "c" + std::to_string(node.campaign) + "-t" + std::to_string(node.tree) + "-n" +
           std::to_string(node.node) + "-a" + std::to_string(attempt);
  }
  /// Unique among all stores and stable over restarts: spool's file name. Places repeat in every store, so
  /// the name also says which store asks, and what.
  std::string call() const {
    constexpr std::size_t enough = 8;
    return (store.empty() ? "" : store.substr(0, enough) + "-") + place() +
           (prompt_digest.empty() ? "" : "-" + prompt_digest.substr(0, enough));
  }
};

/// A sub-agent's next call, for the prompt of `node`. The campaign reserves the worst case, journals it and
/// has it asked, or refuses: `to` gets one agent_answer.
struct agent_call {
  node_key node;
  std::string agent; ///< memory | research
  std::string model;
  ke::prompt prompt;
  weak_actor to;
};
struct agent_answer {
  std::shared_ptr<const completion> reply; ///< null with `why`
  failure why;                             ///< refused (no budget, no new work) or failed for good
};

/// What a node's actor needs to begin, or to go on after passivation or a restart.
struct node_context {
  expansion what;
  node_state phase = node_state::planned; ///< planned: ask; asked: a call is out; answered: have it judged
  std::uint32_t attempt = 1;              ///< of the request to make
  std::vector<std::uint32_t> ancestors;   ///< the parent's, nearest first, without the root
  std::vector<std::uint32_t> siblings;    ///< evaluated children of the parent, newest first
  std::vector<std::uint32_t> beside;      ///< siblings of the parent that gained, best first
  std::shared_ptr<const std::vector<std::string>> tried;
  std::vector<std::string> hints;
  std::shared_ptr<const device_info> target; ///< facts of the prompt
  std::uint32_t ordinal = 0;                 ///< of this child among its parent's
  std::vector<std::uint32_t> in_flight;      ///< ordinals of its open siblings
  std::string repair;                        ///< why the last attempt's answer was of no use
  bool stalled = false;                      ///< nothing better was found for a while
  bool repairs = true;                       ///< its model may mend a broken answer
  std::uint64_t prompt_tokens = 0;           ///< most that the model takes; 0: no limit
};
struct expand {
  std::vector<node_context> nodes;
};
/// A message came for a sleeping node: the node_supervisor asks for its context.
struct want_brief {
  std::uint32_t tree = 0, node = 0;
};
/// From a node_supervisor to its campaign at each start: no node is awake.
struct tree_started {
  std::uint32_t tree = 0;
};
struct prompt_ready {
  std::shared_ptr<synthesis_request> request;
};
struct synthesize {
  std::shared_ptr<const synthesis_request> request;
};
struct call_ended {
  std::string call;
  std::shared_ptr<const completion> reply;
  std::string reply_digest;
  double seconds = 0;
  std::shared_ptr<const synthesis_request> what;
};
struct synthesis {
  node_key node;
  std::uint32_t attempt = 0;
  std::shared_ptr<const completion> reply;
  std::string reply_digest;
  double seconds = 0;
};
/// One send of a request failed; it waits for `send_permit` before the next. `blocked`: no next one, because
/// a person must act (auth, credit), it was cancelled, or (kind none) the last send never happened.
struct failed_try {
  node_key node;
  std::uint32_t attempt = 0;
  failure why;
  bool blocked = false;
  token_usage told; ///< cost, as far as the provider told,
  call_meter meter; ///< and sizes for the rest
};
/// The try's cost is committed. `go`: the budget holds another try; else the request is forgotten.
struct send_permit {
  std::string call;
  bool go = true;
};
/// A campaign is stopping or paused: drops requests that have not left; `running`: cancels the others.
struct drop_requests {
  std::uint32_t campaign = 0;
  bool running = false;
};
/// A person says go on: circuits closed by auth or credit are tried again.
struct unblock_models {};

struct answered {
  node_key node;
  std::uint32_t attempt = 0;
  failure why;
  std::string reply_digest;
  std::string source;
  std::string plan;
  token_usage usage;
  double seconds = 0;
  std::vector<candidate_text> more;         ///< further candidates of the answer
  std::vector<source_parameter> parameters; ///< of `source`, if it is a template
  std::uint32_t descriptor = 0;             ///< knowledge/prompt/descriptor.hpp
  call_meter meter = {};                    ///< for bytes that the told `usage` does not cover
};
/// The candidate of a node that asks nobody; an earlier answer holds it.
struct given_answer {
  node_key node;
  std::string source;
  std::string plan;
  std::uint32_t descriptor = 0;
};
struct evaluate_request {
  node_key node;
  std::string backend;
  std::vector<std::string> devices; ///< pattern per target
  std::shared_ptr<const std::string> source;
  std::string source_digest;
  std::string normalised_digest;
  std::string problem_digest;
  std::shared_ptr<const ke::problem> problem;
  measure_plan plan = measure_plan::rank;
  bool timed = true;
  std::uint64_t seed = 0;
  std::set<std::string> avoid = {}; ///< names of workers not to use while there is another one
};
struct cancel_evaluation {
  node_key node;
  measure_plan plan = measure_plan::rank;
};
struct stage_changed {
  node_key node;
  node_state stage = node_state::building;
};
/// A verdict on one target of a node. `batch` holds evidence and verdict rows: the campaign adds its own and
/// commits them together.
struct judged {
  node_key node;
  std::uint32_t target = 0;
  std::shared_ptr<const verdict> found;
  std::string verdict_digest;
  bool duplicate = false; ///< measured for another node: good for ranking, not for a claim
  double device_s = 0;
  std::shared_ptr<store_batch> batch;
  std::function<void()> committed;        ///< acknowledges the worker; called on the store thread
  measure_plan plan = measure_plan::rank; ///< `claim`: the node has its verdict already
  std::uint32_t duplicate_of = no_node;   ///< of its tree, if the worker knew it by object code
};
/// A node's actor ended abnormally; the campaign wakes it once more, then it is poisoned.
struct node_crashed {
  node_key node;
  std::string why;
};
/// This node can't be judged: the candidate cost three workers, or it was cancelled.
struct evaluation_failed {
  node_key node;
  node_state state = node_state::poisoned;
  std::string why;
  measure_plan plan = measure_plan::rank;
};
struct card_loaded {
  std::shared_ptr<const node_summary> card;
};
/// From a tree to a node long idle: passivate if you only wait.
struct may_rest {};
/// The node is done, or has nothing to do for long: its tree may let it go.
struct retire {
  std::uint32_t node = 0;
  std::shared_ptr<const node_summary> card; ///< null if it only passivates
};

/// What the attached workers offer one backend now; from the fleet (or a stand-in) on each change.
struct capacity {
  std::string backend;
  std::uint32_t slots = 0;
  std::vector<device_info> devices;
  std::string why; ///< why there are no slots now, though there were, or a worker is there
  class_offers offered_by = {};
};

/// pause | resume | stop | set | hint; `done` hears the outcome as text.
struct steer {
  std::string act, key, value;
  std::function<void(status)> done;
};

} // namespace ke

KE_MESSAGE(ke::agent_call)
KE_MESSAGE(ke::agent_answer)
KE_MESSAGE(ke::expand)
KE_MESSAGE(ke::want_brief)
KE_MESSAGE(ke::tree_started)
KE_MESSAGE(ke::prompt_ready)
KE_MESSAGE(ke::synthesize)
KE_MESSAGE(ke::call_ended)
KE_MESSAGE(ke::synthesis)
KE_MESSAGE(ke::failed_try)
KE_MESSAGE(ke::send_permit)
KE_MESSAGE(ke::drop_requests)
KE_MESSAGE(ke::unblock_models)
KE_MESSAGE(ke::answered)
KE_MESSAGE(ke::given_answer)
KE_MESSAGE(ke::evaluate_request)
KE_MESSAGE(ke::cancel_evaluation)
KE_MESSAGE(ke::stage_changed)
KE_MESSAGE(ke::judged)
KE_MESSAGE(ke::node_crashed)
KE_MESSAGE(ke::evaluation_failed)
KE_MESSAGE(ke::card_loaded)
KE_MESSAGE(ke::may_rest)
KE_MESSAGE(ke::retire)
KE_MESSAGE(ke::capacity)
KE_MESSAGE(ke::steer)
