#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/paid_calls.hpp"
#include "actors/messages/call_messages.hpp"
#include "runtime/core/node_key.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// What an earlier life of the campaign left open, until there is a device again. A call that was out is
/// either taken up (its answer is stored, or comes still), made again under its name because it has cost
/// nothing, or charged. Open nodes sleep, because their prompts tell the facts of a device. Owns the sleeping
/// nodes, the answers to deliver and the calls to make again. Not thread-safe.
class campaign_resume {
public:
  campaign_resume(campaign_journal& journal, paid_calls& calls) : journal_{journal}, calls_{calls} {}

  /// Decides about each call that the fold holds open, and puts all open nodes to sleep. Once, after the
  /// journal was folded. What must be journalled is added to `batch`.
  void take_up(store_batch& batch);

  bool sleeps(const node_key& n) const;
  bool is_over() const { return sleeping_.empty() && again_.empty() && answers_.empty(); }

  /// What one tree's nodes go on with.
  struct awake {
    std::vector<node_key> nodes;
    std::vector<std::shared_ptr<synthesis_request>> requests; ///< to be made again; not paid anew
    std::vector<synthesis> answers;                           ///< stored, not yet folded
  };
  /// Takes it: a device of the tree is there. Decodes stored answers.
  awake wake(std::uint32_t tree);

private:
  struct late_answer {
    paid_call call;
    std::string body;
  };
  void take_up_call(store_batch& batch, const paid_call& call);
  void take_up_agents(store_batch& batch, const paid_call& call);
  std::optional<std::string> stored_answer(const paid_call& call) const;
  std::shared_ptr<synthesis_request> same_request(const paid_call& call) const;
  void settle_unheard(store_batch& batch, const paid_call& call);
  completion read_stored(const std::string& model, std::string body, std::uint64_t prompt_bytes,
                         std::optional<bool> cancelled_sent) const;

  campaign_journal& journal_;
  paid_calls& calls_;
  std::vector<node_key> sleeping_;
  std::vector<std::shared_ptr<synthesis_request>> again_;
  std::vector<late_answer> answers_;
};

} // namespace ke
