#include "actors/campaign_keeper.hpp"

#include "actors/synthesizer.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/log.hpp"
#include "runtime/llm/price.hpp"

namespace ke {
namespace {

node_key at(std::uint32_t campaign, const journal_consulted& c) {
  return {campaign, c.tree, c.node};
}

} // namespace

/// The intent is committed before the request leaves, as with a candidate's; but what the budget can't hold
/// is refused at once: a prompt waits for it that can do without.
void keeper::agent_wants(agent_call& c) {
  auto refuse = [&](failure_kind kind, const char* why) {
    send_weak(c.to, agent_answer{nullptr, {kind, why, false}});
  };
  if (!loaded_ || ended_ || interrupted_ || closing_ || books().paused() ||
      state_of_node(c.node) != node_state::planned)
    return refuse(failure_kind::cancelled, "no new work is begun");
  auto reserved = worst_case(model(c.model), bytes_of(c.prompt));
  if (!books().agents_may_hold(reserved) || books().money().lacking(campaign_books::claim(reserved)))
    return refuse(failure_kind::credit, "its share of the budget can't hold the call ([agents] share)");
  auto request = std::make_shared<synthesis_request>();
  auto number = books().next_agent_call();
  request->node = c.node;
  request->attempt = agent_attempts + number;
  request->model = c.model;
  request->reserved = reserved;
  request->reader = campaign_name(options_.id);
  store_batch batch;
  request->prompt_digest = batch.blob(text_of(c.prompt));
  request->prompt = std::move(c.prompt);
  record(batch, journal_kind::consulted,
         journal_consulted{c.node.tree, c.node.node, number, c.agent, c.model, request->prompt_digest,
                           reserved});
  agents_[number] = c.to;
  send_call(std::move(batch), std::move(request));
}

void keeper::agent_answered(const synthesis& s) {
  settle_agent_call({s.attempt - agent_attempts, s.reply->why.kind, s.reply_digest, s.reply->usage, false},
                    {s.reply, s.reply->why});
}

/// Blocked: its model's provider refuses, or the session ends. Rules do its work; the campaign goes on unless
/// that model writes candidates, too.
void keeper::agent_failed(const failed_try& f) {
  auto number = f.attempt - agent_attempts;
  if (!loaded_ || ended_ || !books().agent_call(number))
    return;
  if (f.blocked) {
    auto why = f.why.kind == failure_kind::none ? failure{failure_kind::cancelled, "it was never sent", false}
                                                : f.why;
    auto candidates = model(books().agent_call(number)->model).weight > 0;
    settle_agent_call({number, why.kind, {}, {}, false}, {nullptr, why});
    if (candidates && f.why.kind != failure_kind::none)
      refused_by_provider(f.why);
    return;
  }
  store_batch batch;
  record(batch, journal_kind::failed_request,
         journal_failed_request{f.node.tree, f.node.node, f.attempt, f.why.kind, f.why.text});
  commit(std::move(batch));
}

void keeper::settle_agent_call(const journal_advised& r, agent_answer answer) {
  const auto* call = loaded_ && !ended_ ? books().agent_call(r.number) : nullptr;
  if (!call)
    return;
  auto name = call_name(at(options_.id, *call), agent_attempts + r.number);
  store_batch batch;
  record(batch, journal_kind::advised, r);
  commit(std::move(batch));
  calls_->close(name);
  if (auto who = agents_.extract(r.number))
    send_weak(who.mapped(), std::move(answer));
  pay();
  pump();
}

void keeper::give_up_agent_call(store_batch& batch, const journal_consulted& c, bool free) {
  record(batch, journal_kind::advised,
         journal_advised{c.number,
                         failure_kind::cancelled,
                         {},
                         free ? token_usage{} : charged_at_reservation(c.reserved),
                         !free});
}

void keeper::settle_lost_agent_calls(store_batch& batch) {
  for (const auto& c : std::vector{books().agent_calls_out()}) {
    auto name = call_name(at(options_.id, c), agent_attempts + c.number);
    auto where = calls_->find(name);
    if (where == call_book::whereabouts::out)
      continue; // only this actor was started again: the answer comes, and is paid for though nobody reads it
    auto unheard = calls_->body(name).has_value(); // answered while this actor was being started again
    auto free = (where == call_book::whereabouts::here && !unheard) || costs_nothing(c.model);
    give_up_agent_call(batch, c, free);
    calls_->close(name);
    if (!free)
      log::warn("campaign", "nobody heard how a sub-agent's call ended: charged at its reservation",
                {{"node", id(at(options_.id, c))}});
  }
}

} // namespace ke
