#include "actors/campaign/campaign_keeper.hpp"

#include "actors/messages/addresses.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/observe/log.hpp"

namespace ke {
namespace {

node_key at(std::uint32_t campaign, const journal_agent_asked& c) {
  return {campaign, c.tree, c.node};
}

} // namespace

/// The intent is committed before the request leaves, as with a candidate's; but what the budget can't hold
/// is refused at once: a prompt waits for it that can do without.
void keeper::agent_wants(agent_call& c) {
  auto refuse = [&](failure_kind kind, const char* why) {
    send_weak(c.to, agent_answer{nullptr, {kind, why, false}});
  };
  if (!loaded_ || ended_ || interrupted_ || closing_ || ending_ || books().paused() ||
      state_of_node(c.node) != node_state::planned)
    return refuse(failure_kind::cancelled, "no new work is begun");
  auto reserved = worst_case(model(c.model), bytes_of(c.prompt));
  if (!books().agents_may_hold(reserved) || books().money().lacking(campaign_state::claim(reserved)))
    return refuse(failure_kind::credit, "its share of the budget can't hold the call ([agents] share)");
  auto request = std::make_shared<synthesis_request>();
  auto number = books().next_agent_call();
  request->node = c.node;
  request->attempt = agent_attempts + number;
  request->model = c.model;
  request->reserved = reserved;
  request->reader = addresses::campaign(options_.id);
  request->store = options_.store_id;
  store_batch batch;
  request->prompt_digest = batch.blob(text_of(c.prompt));
  request->prompt = std::move(c.prompt);
  record(batch, journal_kind::consulted,
         journal_agent_asked{c.node.tree, c.node.node, number, c.agent, c.model, request->prompt_digest,
                             reserved});
  agents_[number] = c.to;
  send_call(std::move(batch), std::move(request));
}

void keeper::agent_answered(const synthesis& s) {
  const auto* call = loaded_ && !ended_ ? books().agent_call(s.attempt - agent_attempts) : nullptr;
  if (!call)
    return;
  auto charged = charge(call->model, s.reply->told, s.reply->meter);
  settle_agent_call({s.attempt - agent_attempts, s.reply->why.kind, s.reply_digest, charged.usage, false,
                     charged.estimated, s.reply->meter},
                    {s.reply, s.reply->why});
}

/// Blocked: its model's provider refuses, or the session ends. Rules do its work; the campaign goes on unless
/// that model writes candidates, too.
void keeper::agent_failed(const failed_try& f) {
  auto number = f.attempt - agent_attempts;
  const auto* out = loaded_ && !ended_ ? books().agent_call(number) : nullptr;
  if (!out)
    return;
  auto call = *out;
  if (f.blocked) {
    auto why = f.why.kind == failure_kind::none ? failure{failure_kind::cancelled, "it was never sent", false}
                                                : f.why;
    auto charged = charge(call.model, f.told, f.meter);
    settle_agent_call({number,
                       why.kind,
                       {},
                       charged.usage,
                       false,
                       charged.estimated,
                       f.meter,
                       why.kind == failure_kind::cancelled && f.meter.sent_bytes == 0},
                      {nullptr, why});
    if (model(call.model).weight > 0 && f.why.kind != failure_kind::none &&
        f.why.kind != failure_kind::cancelled)
      refused_by_provider(f.why);
    return;
  }
  store_batch batch;
  auto name = call_name(f.node, f.attempt, call.prompt_digest);
  auto go = allow_retry(batch, f, call.model);
  commit(std::move(batch), {},
         [names = options_.names, name, go] { names->send(addresses::synthesizer, send_permit{name, go}); });
  if (!go)
    settle_agent_call({number, failure_kind::cancelled, {}, {}, false},
                      {nullptr, {failure_kind::credit, "no budget is left for another try", false}});
}

void keeper::settle_agent_call(const journal_agent_replied& r, agent_answer answer) {
  const auto* call = loaded_ && !ended_ ? books().agent_call(r.number) : nullptr;
  if (!call)
    return;
  auto name = call_name(at(options_.id, *call), agent_attempts + r.number, call->prompt_digest);
  store_batch batch;
  record(batch, journal_kind::advised, r);
  commit(std::move(batch));
  calls_->close(name);
  if (auto who = agents_.extract(r.number))
    send_weak(who.mapped(), std::move(answer));
  pay();
  pump();
}

void keeper::give_up_agent_call(store_batch& batch, const journal_agent_asked& c, bool free) {
  journal_agent_replied r{c.number, failure_kind::cancelled};
  if (!free) {
    auto charged =
        unheard(at(options_.id, c), agent_attempts + c.number, c.prompt_digest, c.model, c.reserved);
    r.usage = charged.usage;
    r.estimated = charged.estimated;
    r.unknown = true;
  }
  record(batch, journal_kind::advised, r);
}

void keeper::settle_lost_agent_calls(store_batch& batch) {
  for (const auto& c : std::vector{books().agent_calls_out()}) {
    auto name = call_name(at(options_.id, c), agent_attempts + c.number, c.prompt_digest);
    auto where = calls_->find(name);
    if (where == call_book::whereabouts::out)
      continue; // only this actor was started again: the answer comes, and is paid for though nobody reads it
    auto unheard = calls_->body(name).has_value(); // answered while this actor was being started again
    auto free = (where == call_book::whereabouts::here && !unheard) || costs_nothing(c.model);
    give_up_agent_call(batch, c, free);
    calls_->close(name);
    if (!free)
      log::warn("campaign", "nobody heard how a sub-agent's call ended: charged at an estimate",
                {{"node", id(at(options_.id, c))}});
  }
}

} // namespace ke
