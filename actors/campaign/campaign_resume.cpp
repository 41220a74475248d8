#include "actors/campaign/campaign_resume.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/observe/log.hpp"

#include <algorithm>

namespace ke {

void campaign_resume::take_up(store_batch& batch) {
  for (const auto& call : calls_.all_out()) {
    if (call.is_agents())
      take_up_agents(batch, call);
    else
      take_up_call(batch, call);
  }
  for (const auto& tree : journal_.trees())
    for (auto n : tree.open_nodes())
      sleeping_.push_back(journal_.key(tree.number(), n));
}

void campaign_resume::take_up_call(store_batch& batch, const paid_call& call) {
  if (auto body = stored_answer(call)) {
    answers_.push_back({call, std::move(*body)});
    return;
  }
  auto at = journal_.options().calls->find(calls_.name_of(call));
  if (at == call_book::whereabouts::out)
    return; // only this actor was started again: its answer comes, and wakes the node
  if (at == call_book::whereabouts::here || calls_.costs_nothing(call.model)) {
    if (auto again = same_request(call))
      again_.push_back(std::move(again)); // not paid: the same call goes on, under the same name
    else                                  // its prompt can't be read any more: its node makes another one
      calls_.record_end(batch, call, {.kind = failure_kind::cancelled, .unsent = true});
    return;
  }
  settle_unheard(batch, call);
}

/// A sub-agent does not live on: its answer is of use to nobody.
void campaign_resume::take_up_agents(store_batch& batch, const paid_call& call) {
  const auto& book = *journal_.options().calls;
  auto name = calls_.name_of(call);
  auto where = book.find(name);
  if (where == call_book::whereabouts::out)
    return; // only this actor was started again: the answer comes, and is paid for though nobody reads it
  auto answered = book.body(name).has_value(); // while this actor was being started again
  auto free = (where == call_book::whereabouts::here && !answered) || calls_.costs_nothing(call.model);
  calls_.record_end(batch, call, free ? call_end{.kind = failure_kind::cancelled} : calls_.unheard(call));
  calls_.forget(call);
  if (!free)
    log::warn("campaign", "nobody heard how a sub-agent's call ended: charged at an estimate",
              {{"node", journal_.id(call.node)}});
}

/// As it was stored before a crash, or by a provider of this process while this actor was away.
std::optional<std::string> campaign_resume::stored_answer(const paid_call& call) const {
  auto& replies = journal_.stored().replies;
  if (auto reply = replies.find(call.node); reply != replies.end())
    return std::move(reply->second);
  return journal_.options().calls->body(calls_.name_of(call));
}

/// The prompt is the stored one: an answer that was given meanwhile is to that, and a prompt that is made now
/// may say more. Null: it can't be read.
std::shared_ptr<synthesis_request> campaign_resume::same_request(const paid_call& call) const {
  auto& prompts = journal_.stored().prompts;
  auto prompt = prompts.find(call.node);
  if (prompt == prompts.end())
    return nullptr;
  auto request = std::make_shared<synthesis_request>();
  request->node = call.node;
  request->attempt = call.attempt;
  request->model = call.model;
  request->prompt = std::move(prompt->second);
  request->prompt_digest = call.prompt_digest;
  request->occurrence = call.attempt - 1;
  request->reserved = call.reserved;
  request->store = journal_.options().store_id;
  request->again = true;
  return request;
}

/// A call whose end nobody heard may have been answered, and billed. If it was cancelled when its session
/// ended, what had come until then is known.
void campaign_resume::settle_unheard(store_batch& batch, const paid_call& call) {
  const auto& all = journal_.stored().calls;
  auto stored = all.find({call.node, call.attempt});
  if (stored == all.end() || stored->second.outcome != failure_kind::cancelled) {
    log::warn("campaign", "a call was out when the last session ended: charged at an estimate",
              {{"node", journal_.id(call.node)}});
    return calls_.record_end(batch, call, calls_.unheard(call));
  }
  const auto& row = stored->second;
  auto& parts = journal_.stored().parts;
  auto part = parts.find(call.node);
  auto reply =
      read_stored(call.model, part == parts.end() ? std::string{} : part->second, row.prompt_bytes, row.sent);
  calls_.record_end(batch, call,
                    {.kind = failure_kind::cancelled,
                     .charged = calls_.charge(call.model, reply.told, reply.meter),
                     .meter = reply.meter,
                     .unsent = !row.sent && row.reply_digest.empty()});
}

/// Whole, or as far as it came before it was `cancelled`.
completion campaign_resume::read_stored(const std::string& model, std::string body,
                                        std::uint64_t prompt_bytes,
                                        std::optional<bool> cancelled_sent) const {
  const auto& m = journal_.model(model);
  if (traits_of(m.provider).body != body_form::message)
    return plain_completion(m, prompt_bytes, std::move(body));
  http_response raw;
  raw.content_type = body.starts_with("{") ? "application/json" : "text/event-stream";
  raw.status = cancelled_sent && body.empty() ? 0 : 200;
  if (cancelled_sent) {
    raw.why = {failure_kind::cancelled, "the session ended", false};
    raw.sent = *cancelled_sent;
  }
  raw.body = std::move(body);
  return decode(m, prompt_bytes, raw, static_cast<std::int64_t>(journal_.options().unix_ms() / 1000));
}

bool campaign_resume::sleeps(const node_key& n) const {
  return std::find(sleeping_.begin(), sleeping_.end(), n) != sleeping_.end();
}

campaign_resume::awake campaign_resume::wake(std::uint32_t tree) {
  awake out;
  std::erase_if(sleeping_, [&](const node_key& n) {
    if (n.tree == tree)
      out.nodes.push_back(n);
    return n.tree == tree;
  });
  std::erase_if(again_, [&](auto& request) {
    auto mine = request->node.tree == tree;
    if (mine)
      out.requests.push_back(std::move(request));
    return mine;
  });
  const auto& rows = journal_.stored().calls;
  std::erase_if(answers_, [&](late_answer& a) {
    if (a.call.node.tree != tree)
      return false;
    auto row = rows.find({a.call.node, a.call.attempt});
    auto bytes = row == rows.end() ? 0 : row->second.prompt_bytes;
    auto digest = digest_of(a.body);
    auto reply = std::make_shared<completion>(read_stored(a.call.model, std::move(a.body), bytes, {}));
    out.answers.push_back({a.call.node, a.call.attempt, std::move(reply), std::move(digest), 0});
    return true;
  });
  return out;
}

} // namespace ke
