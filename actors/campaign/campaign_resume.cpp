#include "actors/campaign/campaign_keeper.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/messages/fleet_messages.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/search/campaign/settings_change.hpp"
#include "runtime/search/index/history.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::size_t most_tried_shown = 16;

} // namespace

keeper::keeper(caf::event_based_actor* self, campaign_options options)
    : self_{self}, options_{std::move(options)} {
  auto me = weak(self_);
  options_.load([me](result<std::shared_ptr<stored_campaign>> stored) {
    send_weak(me, stored ? campaign_loaded{*stored, {}} : campaign_loaded{nullptr, stored.error()});
  });
}

void keeper::loaded(campaign_loaded& l) {
  if (!l.stored)
    return end({"failed", "", false, l.why});
  stored_ = std::move(l.stored);
  fold_ = std::move(stored_->fold);
  rows_ = std::move(stored_->rows);
  wall_base_ = stored_->wall_ms;
  records_ = fold_.records();
  imaged_ = stored_->imaged;
  begun_ = self_->clock().now();
  auto changed = !(options_.settings == books().settings());
  if (!books().finished_reason().empty() && !changed) { // nothing to do, unless new settings reopen it
    ended_ = true;
    tell_wanted(true);
    return options_.ended({"finished", books().finished_reason(), proven(), {}});
  }
  if (auto fine = can_change(books().settings(), options_.settings, change_time::resumed); !fine)
    return end({"failed", "", false, fine.error()});
  loaded_ = true;
  options_.names->send(addresses::synthesizer, unblock_models{}); // what was refused may be mended
  options_.names->send(addresses::fleet, watch_capacity{addresses::campaign(options_.id)});
  store_batch batch;
  record(batch, journal_kind::session, journal_session{options_.epoch});
  if (changed) {
    journal_configured now{options_.settings, books().problem_digest(), trees_of(options_.settings),
                           KE_VERSION};
    if (auto done = fold_.apply(now); !done) {
      loaded_ = false;
      return end({"failed", "", false, done.error()});
    }
    journal(batch, journal_kind::configured, now);
  }
  put_campaign(batch, "running", "");
  commit(std::move(batch),
         event("campaign", {{"state", "running"}, {"nodes", std::to_string(fold_.states().size())}}));
  resume_nodes();
  tick();
}

void keeper::capacity_is(const capacity& c) {
  capacity_[c.backend] = c;
  slots_[c.backend] = missing_targets(c.backend).empty() ? slots_for(c, targets_of(c.backend)) : 0;
  if (loaded_ && !ended_)
    look_for_devices();
  pump();
}

void keeper::crashed(const node_crashed& c) {
  if (!loaded_ || ended_ || !is_open(state_of_node(c.node)))
    return;
  log::warn("campaign", "a node's actor crashed", {{"node", id(c.node)}, {"why", c.why}});
  if (++crashes_[c.node] < 2)
    return wake({c.node});
  store_batch batch;
  finish_node(batch, c.node, node_state::poisoned, c.why);
  pump();
}

void keeper::brief_wanted(const want_brief& w) {
  if (!loaded_ || ended_)
    return;
  node_key n{options_.id, w.tree, w.node};
  if (std::find(sleeping_.begin(), sleeping_.end(), n) != sleeping_.end())
    return; // it will be woken with the others, when there is a device whose facts its prompt can tell
  if (is_open(state_of_node(n)))
    return wake({n});
  // It ended while it rested: what its tree keeps for it is of no use any more.
  options_.names->send(addresses::node_supervisor(options_.id, w.tree), retire{w.node, nullptr});
}

/// A tree that was started again without us has forgotten its nodes; what they wait for still comes.
void keeper::tree_began(const tree_started& t) {
  if (!loaded_ || ended_ || t.tree >= fold_.trees().size())
    return;
  std::vector<node_key> open;
  for (auto n : core(t.tree).open_nodes())
    if (node_key key{options_.id, t.tree, n};
        std::find(sleeping_.begin(), sleeping_.end(), key) == sleeping_.end())
      open.push_back(key);
  std::erase_if(unpaid_, [&](const auto& r) { return r->node.tree == t.tree; }); // asked for again
  wake(open);
}

node_context keeper::brief_of(const node_key& n,
                              const std::shared_ptr<const std::vector<std::string>>& tried) {
  auto& tree = core(n.tree);
  const auto& index = tree.tree();
  node_context b;
  b.what = tree.expansion_of(n.node);
  b.phase = index[n.node].state;
  b.attempt = index[n.node].attempts + 1u;
  if (b.phase == node_state::asked && !tree.call(n.node, index[n.node].attempts)) {
    b.phase = node_state::planned; // its call ended without an answer: ask again
  }
  if (b.what.operation != operation_kind::draft) {
    auto past = history_of(index, b.what.parent, n.node);
    b.ancestors = std::move(past.ancestors);
    b.siblings = std::move(past.siblings);
    b.beside = std::move(past.beside);
  }
  auto place = index[b.what.parent].children; // from the youngest down: open nodes are near it
  for (auto c = index[b.what.parent].first_child; c != no_node; c = index[c].next_sibling) {
    --place;
    auto open = is_open(index[c].state);
    if (c == n.node)
      b.ordinal = place;
    else if (open && b.in_flight.size() < most_siblings)
      b.in_flight.push_back(place);
    else if (c < n.node)
      break;
  }
  b.stalled = is_stagnant(index[n.node].situation);
  if (b.phase == node_state::planned && b.attempt > 1)
    b.repair = rows_[n].note;
  if (!asks_nobody(b.what.operation)) {
    b.repairs = may_repair(b.what.model);
    b.prompt_tokens = prompt_budget(books().settings(), b.what.model);
  }
  b.tried = tried;
  for (const auto& [at, text] : books().hints())
    if (auto place = at.empty() ? 0u : static_cast<std::uint32_t>(std::stoul(at) / fold_.trees().size());
        is_below(index, n.node, place))
      b.hints.push_back(text);
  b.target = facts_[tree.backend()];
  return b;
}

bool keeper::is_below(const tree_index& index, std::uint32_t node, std::uint32_t ancestor) {
  for (; node != no_node; node = index[node].parent)
    if (node == ancestor)
      return true;
  return false;
}

void keeper::wake(const std::vector<node_key>& nodes) {
  std::map<std::uint32_t, struct expand> by_tree;
  std::map<std::uint32_t, std::shared_ptr<const std::vector<std::string>>> tried;
  for (const auto& n : nodes) {
    if (!is_open(state_of_node(n)))
      continue;
    auto& t = tried[n.tree];
    if (!t)
      t = std::make_shared<const std::vector<std::string>>(
          core(n.tree).tried(playbook_plays() ? 4096 : most_tried_shown));
    by_tree[n.tree].nodes.push_back(brief_of(n, t));
  }
  for (auto& [t, e] : by_tree)
    options_.names->send(addresses::node_supervisor(options_.id, t), std::move(e));
}

bool keeper::may_repair(const std::string& name) {
  return traits_of(model(name).provider).may_repair;
}

bool keeper::playbook_plays() {
  const auto& models = books().settings().models;
  return std::any_of(models.begin(), models.end(),
                     [](const auto& m) { return traits_of(m.provider).task_only; });
}

bool keeper::costs_nothing(const std::string& name) {
  return !traits_of(model(name).provider).billed;
}

/// The prompt is the stored one: an answer that was given meanwhile is to that, and a prompt that is made now
/// may say more.
std::shared_ptr<synthesis_request> keeper::same_request(const node_key& n, const open_call& call) {
  auto prompt = stored_->prompts.find(n);
  if (prompt == stored_->prompts.end())
    return nullptr;
  auto request = std::make_shared<synthesis_request>();
  request->node = n;
  request->attempt = call.attempt;
  request->model = call.model;
  request->prompt = std::move(prompt->second);
  request->prompt_digest = call.prompt_digest;
  request->occurrence = call.attempt - 1;
  request->reserved = call.reserved;
  request->store = options_.store_id;
  request->again = true;
  return request;
}

call_charge keeper::unheard(const node_key& n, std::uint32_t attempt, const std::string& prompt_digest,
                            const std::string& model_name, const reservation& reserved) {
  auto row = calls_->row(call_name(n, attempt, prompt_digest));
  auto stored = stored_->calls.find({n, attempt});
  if (!row && stored != stored_->calls.end())
    row = stored->second;
  return charge_unheard(model(model_name), books().scale(model_name), row ? row->prompt_bytes : 0, reserved);
}

/// A call whose end nobody heard may have been answered, and billed. If it was cancelled when its session
/// ended, what had come until then is known.
void keeper::settle_unheard(store_batch& batch, const node_key& n, const open_call& call) {
  journal_replied r{n.tree, n.node, call.attempt, failure_kind::cancelled};
  call_charge charged;
  auto stored = stored_->calls.find({n, call.attempt});
  if (stored != stored_->calls.end() && stored->second.outcome == failure_kind::cancelled) {
    auto part = stored_->parts.find(n);
    auto reply = read_stored(call.model, part == stored_->parts.end() ? std::string{} : part->second,
                             stored->second.prompt_bytes, stored->second.sent);
    charged = charge(call.model, reply.told, reply.meter);
    r.meter = reply.meter;
    r.unsent = !stored->second.sent && stored->second.reply_digest.empty();
  } else {
    charged = unheard(n, call.attempt, call.prompt_digest, call.model, call.reserved);
    r.unknown = true;
    log::warn("campaign", "a call was out when the last session ended: charged at an estimate",
              {{"node", id(n)}});
  }
  r.usage = charged.usage;
  r.estimated = charged.estimated;
  record(batch, journal_kind::replied, r);
}

/// Whole, or as far as it came before it was `cancelled`.
completion keeper::read_stored(const std::string& model_name, std::string body, std::uint64_t prompt_bytes,
                               std::optional<bool> cancelled_sent) {
  const auto& m = model(model_name);
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
  return decode(m, prompt_bytes, raw, static_cast<std::int64_t>(options_.unix_ms() / 1000));
}

void keeper::resume_nodes() {
  store_batch batch;
  for (const auto& [t, call] : fold_.open_calls()) {
    node_key n{options_.id, t, call.node};
    auto name = call_name(n, call.attempt, call.prompt_digest);
    auto reply = stored_->replies.find(n);
    if (reply != stored_->replies.end()) {
      redeliver_.push_back({n, call, std::move(reply->second)});
      continue;
    }
    if (auto body = calls_->body(name)) {
      redeliver_.push_back({n, call, std::move(*body)});
      continue;
    }
    auto at = calls_->find(name);
    if (at == call_book::whereabouts::out)
      continue; // only this actor was started again: its answer comes, and wakes the node
    if (at == call_book::whereabouts::here || costs_nothing(call.model)) {
      if (auto again = same_request(n, call)) {
        resend_.push_back(std::move(again)); // not paid: the same call goes on, under the same name
        continue;
      }
      journal_replied r{t, call.node, call.attempt, failure_kind::cancelled};
      r.unsent = true; // its prompt can't be read any more: its node makes another one
      record(batch, journal_kind::replied, r);
      continue;
    }
    settle_unheard(batch, n, call);
  }
  settle_lost_agent_calls(batch);
  commit(std::move(batch));
  for (auto& tree : fold_.trees())
    for (auto n : tree.open_nodes())
      sleeping_.push_back({options_.id, tree.number(), n});
  tell_wanted(false);
}

void keeper::tell_wanted(bool over) {
  work_is_wanted w{options_.id, {}, over};
  if (!over)
    for (auto& tree : fold_.trees())
      for (std::uint32_t t = 0; t < tree.tree().targets(); ++t) {
        if (options_.admission) // of the reference
          w.open.emplace_back(node_key{options_.id, tree.number(), 0}, t);
        for (auto n : tree.open_nodes())
          w.open.emplace_back(node_key{options_.id, tree.number(), n}, t);
      }
  options_.names->send(addresses::fleet, std::move(w));
}

void keeper::wake_sleeping(std::uint32_t tree) {
  std::vector<node_key> nodes;
  std::erase_if(sleeping_, [&](const node_key& n) {
    if (n.tree == tree)
      nodes.push_back(n);
    return n.tree == tree;
  });
  if (nodes.empty())
    return;
  wake(nodes);
  for (auto& request : resend_)
    if (request->node.tree == tree)
      options_.names->send(addresses::synthesizer, synthesize{request});
  std::erase_if(resend_, [&](const auto& request) { return request->node.tree == tree; });
  std::vector<late_reply> replies;
  std::erase_if(redeliver_, [&](late_reply& r) {
    auto mine = r.node.tree == tree;
    if (mine)
      replies.push_back(std::move(r));
    return mine;
  });
  for (auto& r : replies) {
    auto row = stored_->calls.find({r.node, r.call.attempt});
    auto bytes = row == stored_->calls.end() ? 0 : row->second.prompt_bytes;
    auto reply = std::make_shared<completion>(read_stored(r.call.model, r.body, bytes, {}));
    options_.names->send(addresses::node_supervisor(options_.id, r.node.tree),
                         synthesis{r.node, r.call.attempt, reply, digest_of(r.body), 0});
  }
}

} // namespace ke
