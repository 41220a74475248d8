#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/node_rows.hpp"
#include "actors/messages/call_messages.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/token_usage.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// A call to a model that is out: asked and paid for, its end not journalled. Of a node, or of a sub-agent
/// that works for one.
struct paid_call {
  node_key node;
  std::uint32_t attempt = 0; ///< of the request; a sub-agent's: agent_attempts + its number
  std::string model;
  std::string prompt_digest;
  reservation reserved;

  bool is_agents() const { return attempt > agent_attempts; }
};

/// How a call ended, and what it costs.
struct call_end {
  failure_kind kind = failure_kind::none;
  std::string reply_digest = {};
  call_charge charged = {};
  call_meter meter = {};
  bool unknown = false; ///< nobody heard how it ended
  bool unsent = false;  ///< its last send never happened
};

/// What a campaign asks models: waiting, reserved, asked, answered, settled; for nodes and for sub-agents
/// alike. A call is reserved at its worst case, and its intent is committed before it leaves. What is out is
/// a part of the fold (docs/decisions/0003); this class owns what the fold does not know: prompts that wait
/// for money, nodes to ask again, and who waits for a sub-agent's answer. Not thread-safe.
class paid_calls {
public:
  /// The way to the synthesizer; any thread, must not block.
  struct port {
    std::function<void(std::shared_ptr<const synthesis_request>)> ask; ///< its intent is committed
    std::function<void(send_permit)> permit;
  };

  paid_calls(campaign_journal& journal, node_rows& rows, port out)
      : journal_{journal}, rows_{rows}, out_{std::move(out)} {}

  // -- before a call ------------------------------------------------------------------------------

  /// A node's prompt, to be sent by `pay`.
  void want(std::shared_ptr<synthesis_request> request);
  /// Sends waiting prompts while the budget holds their worst case.
  void pay();
  bool is_waiting() const { return !waiting_.empty(); }
  std::size_t waiting() const { return waiting_.size(); }
  /// All that is in flight waits for money.
  bool all_wait() const;
  /// What the next candidate needs, its call included.
  amounts next() const;
  /// The tree has forgotten its nodes, and asks for them anew.
  void forget(std::uint32_t tree);
  /// A sub-agent's call, sent at once. `credit`: its share of the budget can't hold it; it never waits,
  /// because a prompt that can do without waits for it.
  status ask_for_agent(agent_call& c);

  // -- calls that are out -------------------------------------------------------------------------

  std::size_t out() const { return journal_.fold().open_calls().size() + books().agent_calls_out().size(); }
  /// Nodes' calls in order of tree and node, then sub-agents'.
  std::vector<paid_call> all_out() const;
  /// Empty: it is not out.
  std::optional<paid_call> find(const node_key& node, std::uint32_t attempt) const;
  /// Its name at the provider.
  std::string name_of(const paid_call& call) const;
  /// Whether calls to this model are free when nobody heard their end.
  bool costs_nothing(const std::string& model) const;

  // -- ends ---------------------------------------------------------------------------------------

  /// The charge of a call, from told usage and the campaign's estimates for this model.
  call_charge charge(const std::string& model, const token_usage& told, const call_meter& meter) const;
  /// A call whose end nobody heard: it may have been answered, and billed.
  call_end unheard(const paid_call& call) const;
  /// Never sent, refused before anything was billed, or cancelled.
  call_end blocked(const failed_try& f, const paid_call& call) const;
  /// Journals the end; its reservation returns.
  void record_end(store_batch& batch, const paid_call& call, const call_end& end);
  /// The same, commits it, and forgets the call. The journal has it: a restart finds it there.
  void settle(store_batch batch, const paid_call& call, const call_end& end);
  void forget(const paid_call& call);
  /// Nobody waits for the ends of these any more.
  void give_up_all(store_batch& batch);
  /// A send failed and is charged. Permits another one if the budget holds it; else settles the call. Whether
  /// another one may follow.
  bool try_again(const failed_try& f, const paid_call& call);
  /// Tells the sub-agent how its call ended; once. Nobody hears it if an earlier life of the campaign asked.
  void answer_agent(const paid_call& call, agent_answer answer);

  // -- models -------------------------------------------------------------------------------------

  /// Tells people about models newly set aside because they gave no candidate. Why the session must pause:
  /// none is left.
  std::optional<failure> look_at_fruitless(const failure& last);
  /// True the first time since `resumed`: the provider refuses all, which is told once.
  bool is_first_refusal() { return !std::exchange(refused_, true); }
  /// The node's call was blocked: it is asked again after a `resume`.
  void ask_later(const node_key& n) { later_.push_back(n); }
  /// A person says go on. The nodes to ask again.
  std::vector<node_key> resumed();

private:
  const campaign_state& books() const { return journal_.books(); }
  const campaign_options& options() const { return journal_.options(); }
  bool is_wanted(const synthesis_request& request) const;
  void divert(synthesis_request& request) const;
  void ask(const std::shared_ptr<synthesis_request>& request);
  void send(store_batch batch, std::shared_ptr<const synthesis_request> request);
  bool charge_try(store_batch& batch, const failed_try& f, const std::string& model);

  campaign_journal& journal_;
  node_rows& rows_;
  port out_;
  std::deque<std::shared_ptr<synthesis_request>> waiting_; ///< prompts
  std::vector<node_key> later_;
  std::map<std::uint32_t, std::function<void(agent_answer)>> readers_; ///< by number of the sub-agent's call
  std::set<std::string> told_aside_;                                   ///< models
  bool refused_ = false;
};

} // namespace ke
