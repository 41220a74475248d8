#pragma once

#include "actors/messages/call_messages.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/llm/answer.hpp"
#include "runtime/search/campaign/expansion.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// What nodes hear, and what they say of their candidates. Plain structs: messages.hpp makes messages of them.

namespace ke {

struct node_summary;
struct timing_summary;

/// What a node's actor needs to begin, or to go on after passivation or a restart.
struct node_context {
  expansion what;
  node_state phase = node_state::planned; ///< planned: ask; asked: a call is out; answered: have it judged
  std::uint32_t attempt = 1;              ///< of the request to make
  std::vector<std::uint32_t> ancestors;   ///< the parent's, nearest first, without the root
  std::vector<std::uint32_t> siblings;    ///< evaluated children of the parent, newest first
  std::vector<std::uint32_t> uncles;      ///< siblings of the parent that gained, best first
  std::vector<std::uint32_t> archive;     ///< the best of the rest of the tree, best first
  std::shared_ptr<const std::vector<std::string>> tried;
  std::vector<std::string> hints;
  std::shared_ptr<const device_info> target;       ///< facts of the prompt
  std::shared_ptr<const timing_summary> reference; ///< what the reference takes there; null: not known
  std::uint32_t ordinal = 0;                       ///< of this child among its parent's
  std::vector<std::uint32_t> in_flight;            ///< ordinals of its open siblings
  std::string repair;                              ///< why the last attempt's answer was of no use
  bool stalled = false;                            ///< nothing better was found for a while
  bool repairs = true;                             ///< its model may mend a broken answer
  std::uint64_t prompt_tokens = 0;                 ///< most that the model takes; 0: no limit
  answer_kind form = answer_kind::any;             ///< in which the change is asked for
  std::uint32_t resamples = 0; ///< attempts up to this one may repeat a candidate, and are asked again
};
struct expand {
  std::vector<node_context> nodes;
};
/// A message came for a sleeping node: the node_supervisor asks for its context.
struct want_context {
  std::uint32_t tree = 0, node = 0;
};
/// From a node_supervisor to its campaign at each start: no node is awake.
struct tree_started {
  std::uint32_t tree = 0;
};
struct prompt_ready {
  std::shared_ptr<synthesis_request> request;
};
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
  bool waits = false; ///< the node has its source judged once the campaign says that it is new (answer_heard)
};
/// To a node whose answer waited for this.
struct answer_heard {
  node_key node;
  std::uint32_t attempt = 0;
  std::string repeats; ///< why it is asked once more; empty: its source is judged
};
/// The candidate of a node that asks nobody; an earlier answer holds it.
struct given_answer {
  node_key node;
  std::string source;
  std::string plan;
  std::uint32_t descriptor = 0;
};
/// A node's actor ended abnormally; the campaign wakes it once more, then it is poisoned.
struct node_crashed {
  node_key node;
  std::string why;
};
struct summary_loaded {
  std::shared_ptr<const node_summary> summary;
};
/// From a tree to a node long idle: passivate if you only wait.
struct may_rest {};
/// The node is done, or has nothing to do for long: its tree may let it go.
struct retire {
  std::uint32_t node = 0;
  std::shared_ptr<const node_summary> summary; ///< null if it only passivates
};

} // namespace ke
