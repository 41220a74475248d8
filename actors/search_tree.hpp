#pragma once

#include "actors/search_node.hpp"

namespace ke {

struct search_tree_options {
  std::size_t awake = 4096; ///< live nodes at most, as far as waiting ones can rest
  std::size_t cards = 2048; ///< kept in memory for prompts
  std::chrono::nanoseconds idle =
      std::chrono::minutes{2}; ///< a node without a message for so long passivates
};

/// Owns the lives of one tree's nodes: wakes them, passes them their messages, lets them go. What they decide
/// upon (the index) is the campaign's.
///
///   <- expand                 from the campaign: wake these
///   <- synthesis, judged, evaluation_failed   for a node, awake or not; failed_try passes on to the campaign
///   -> want_brief             to the campaign, for a node that has to be woken for a message (which is kept
///   meanwhile)
///   <- retire, card_loaded    from nodes
///   <- down                   of a node: normal: forget it, or wake it again if messages came meanwhile;
///   crash: -> node_crashed
///
/// A message for a node that rests is kept until it is awake, so nothing is lost between its retirement and
/// its end. Supervisor: the campaign's, rest_for_one after the campaign; permanent.
caf::behavior search_tree(caf::event_based_actor* self, std::shared_ptr<const tree_context> context,
                          search_tree_options options);

} // namespace ke
