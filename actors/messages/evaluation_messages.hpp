#pragma once

#include "runtime/core/device_info.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/fleet/device_class.hpp"
#include "runtime/fleet/placement.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

// Candidates on their way to a verdict, and what there is to judge them on. Plain structs: messages.hpp makes
// messages of them.

namespace ke {

struct problem;
struct store_batch;
struct verdict;

struct evaluate_request {
  node_key node;
  std::string backend;
  std::vector<std::string> devices; ///< pattern per target
  std::shared_ptr<const std::string> source;
  std::string source_digest;
  std::string normalised_digest; ///< candidates with the same one have one verdict (source_form.hpp)
  std::string problem_digest;
  std::shared_ptr<const ke::problem> problem;
  measure_plan plan = measure_plan::rank;
  bool timed = true;
  std::uint64_t seed = 0;
  std::set<std::string> avoid = {}; ///< names of workers not to use while there is another one
  /// Of its tree: measured where this one was, if it waits no longer for it, as their scores are compared. no_node: none.
  std::uint32_t parent = no_node;
  bool second = false;      ///< a claim's second look, by another device: no job of the first
  fleet_device prefer = {}; ///< instead of the parent's, if it names one
};
struct cancel_evaluation {
  node_key node;
  measure_plan plan = measure_plan::rank;
};
struct stage_changed {
  node_key node;
  node_state stage = node_state::building;
};
/// The node's candidate goes to its device once more, before anybody sees a verdict.
struct measured_again {
  node_key node;
  std::string why; ///< in words: what the machine did meanwhile
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
  double held_s = 0;          ///< its measurement waited, or was repeated, for others' work on the machine
  bool beside_others = false; ///< some of which it has nevertheless
};
/// This node can't be judged: the candidate cost three workers, or it was cancelled.
struct evaluation_failed {
  node_key node;
  node_state state = node_state::poisoned;
  std::string why;
  measure_plan plan = measure_plan::rank;
};
/// What the attached workers offer one backend now; from the fleet (or a stand-in) on each change.
struct capacity {
  std::string backend;
  std::uint32_t slots = 0;
  std::vector<device_info> devices;
  std::string why; ///< why there are no slots now, though there were, or a worker is there
  class_offers offered_by = {};
};

} // namespace ke
