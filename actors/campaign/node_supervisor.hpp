#pragma once

#include "actors/campaign/search_node.hpp"

namespace ke {

struct node_supervisor_options {
  std::size_t awake = 4096;     ///< live nodes at most, as far as waiting ones can rest
  std::size_t summaries = 2048; ///< kept in memory for prompts
  /// A node without a message for this long passivates.
  std::chrono::nanoseconds idle = std::chrono::minutes{2};
};

/// Owns the lives of one tree's nodes: wakes them, passes them their messages, lets them go. The campaign
/// owns the index on which they decide.
///
///   <- expand                                from the campaign: wake these
///   <- synthesis, judged, evaluation_failed  for a node, awake or not
///   <- failed_try                            passed on to the campaign
///   -> want_context                          to the campaign, for a node to be woken for a message, which is
///                                            kept meanwhile
///   <- retire, summary_loaded                from nodes
///   <- down                                  of a node. Normal: forget it, or wake it again if messages
///                                            came; crash: -> node_crashed
///
/// Messages for a resting node are kept until it is awake: nothing is lost between retirement and end.
/// Supervisor: the campaign's, rest_for_one after the campaign; permanent.
caf::behavior node_supervisor(caf::event_based_actor* self, std::shared_ptr<const tree_context> context,
                              node_supervisor_options options);

} // namespace ke
