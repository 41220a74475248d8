#include "actors/campaign/paid_calls.hpp"

#include "actors/messages/addresses.hpp"
#include "runtime/core/call_row.hpp"
#include "runtime/core/journal_retrieved.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/observe/log.hpp"

namespace ke {

// -- before a call ----------------------------------------------------------------------------------

void paid_calls::want(std::shared_ptr<synthesis_request> request) {
  request->reserved = worst_case(journal_.model(request->model), bytes_of(request->prompt));
  request->store = options().store_id;
  waiting_.push_back(std::move(request));
}

void paid_calls::pay() {
  while (!waiting_.empty()) {
    auto request = waiting_.front();
    if (is_wanted(*request)) {
      divert(*request);
      if (books().money().lacking(campaign_state::claim(request->reserved)))
        return;
      waiting_.pop_front();
      ask(request);
    } else {
      waiting_.pop_front();
    }
  }
}

/// A node may have ended meanwhile; and a tree that was started again asks twice.
bool paid_calls::is_wanted(const synthesis_request& request) const {
  auto state = journal_.state_of(request.node);
  return (state == node_state::planned || state == node_state::asked) && !find(request.node, request.attempt);
}

/// A prompt for a model that was set aside goes to another one.
void paid_calls::divert(synthesis_request& request) const {
  const auto& aside = books().set_aside();
  if (!aside.contains(request.model))
    return;
  const model_settings* other = nullptr;
  for (const auto& m : journal_.settings().models)
    if (m.weight > 0 && !aside.contains(m.name) && (!other || m.weight > other->weight))
      other = &m;
  if (!other)
    return;
  request.model = other->name;
  request.reserved = worst_case(*other, bytes_of(request.prompt));
}

void paid_calls::ask(const std::shared_ptr<synthesis_request>& request) {
  const auto& n = request->node;
  store_batch batch;
  if (auto documents = std::exchange(request->documents, nullptr))
    journal_.record(batch, journal_kind::retrieved, *documents);
  journal_.record(batch, journal_kind::asked,
                  journal_asked{n.tree, n.node, request->attempt, request->model, request->prompt_digest,
                                request->reserved});
  request->occurrence = request->attempt - 1;
  rows_.asked(batch, *request);
  send(std::move(batch), request);
}

void paid_calls::send(store_batch batch, std::shared_ptr<const synthesis_request> request) {
  const auto& n = request->node;
  call_row call;
  call.model = request->model;
  call.prompt_digest = request->prompt_digest;
  call.reserved = request->reserved;
  call.sent_unix_ms = options().unix_ms();
  call.prompt_bytes = bytes_of(request->prompt);
  batch.put(table::calls, key_of(n.campaign, n.tree, n.node, request->attempt), pack(call));
  options().calls->open(request->call(), n, request->attempt, std::move(call));
  journal_.commit(std::move(batch), {}, [ask = out_.ask, request] { ask(request); });
}

bool paid_calls::all_wait() const {
  return !waiting_.empty() && waiting_.size() == books().in_flight() && out() == 0;
}

amounts paid_calls::next() const {
  return waiting_.empty() ? amounts{.candidates = 1} : campaign_state::claim(waiting_.front()->reserved);
}

void paid_calls::forget(std::uint32_t tree) {
  std::erase_if(waiting_, [&](const auto& request) { return request->node.tree == tree; });
}

status paid_calls::ask_for_agent(agent_call& c) {
  auto reserved = worst_case(journal_.model(c.model), bytes_of(c.prompt));
  if (!books().agents_may_hold(reserved) || books().money().lacking(campaign_state::claim(reserved)))
    return failure{failure_kind::credit, "its share of the budget can't hold the call ([agents] share)",
                   false};
  auto request = std::make_shared<synthesis_request>();
  auto number = books().next_agent_call();
  request->node = c.node;
  request->attempt = agent_attempts + number;
  request->model = c.model;
  request->reserved = reserved;
  request->reader = addresses::campaign(options().id);
  request->store = options().store_id;
  store_batch batch;
  request->prompt_digest = batch.blob(text_of(c.prompt));
  request->prompt = std::move(c.prompt);
  journal_.record(batch, journal_kind::consulted,
                  journal_agent_asked{c.node.tree, c.node.node, number, c.agent, c.model,
                                      request->prompt_digest, reserved});
  readers_[number] = std::move(c.reply);
  send(std::move(batch), std::move(request));
  return ok;
}

// -- calls that are out -----------------------------------------------------------------------------

namespace {

paid_call call_of(const node_key& node, const open_call& c) {
  return {node, c.attempt, c.model, c.prompt_digest, c.reserved};
}

paid_call call_of(std::uint32_t campaign, const journal_agent_asked& c) {
  return {
      {campaign, c.tree, c.node}, agent_attempts + c.number, c.model, c.prompt_digest, c.reserved,
  };
}

} // namespace

std::vector<paid_call> paid_calls::all_out() const {
  std::vector<paid_call> all;
  for (const auto& [tree, c] : journal_.fold().open_calls())
    all.push_back(call_of(journal_.key(tree, c.node), c));
  for (const auto& c : books().agent_calls_out())
    all.push_back(call_of(options().id, c));
  return all;
}

std::optional<paid_call> paid_calls::find(const node_key& node, std::uint32_t attempt) const {
  if (attempt > agent_attempts) {
    const auto* c = books().agent_call(attempt - agent_attempts);
    return c ? std::optional{call_of(options().id, *c)} : std::nullopt;
  }
  if (node.tree >= journal_.trees().size())
    return std::nullopt;
  auto c = journal_.tree(node.tree).call(node.node, attempt);
  return c ? std::optional{call_of(node, *c)} : std::nullopt;
}

std::string paid_calls::name_of(const paid_call& call) const {
  synthesis_request r;
  r.node = call.node;
  r.attempt = call.attempt;
  r.prompt_digest = call.prompt_digest;
  r.store = options().store_id;
  return r.call();
}

bool paid_calls::costs_nothing(const std::string& model) const {
  return !traits_of(journal_.model(model).provider).billed;
}

// -- ends -------------------------------------------------------------------------------------------

call_charge paid_calls::charge(const std::string& model, const token_usage& told,
                               const call_meter& meter) const {
  return charge_of(journal_.model(model), books().scale(model), told, meter);
}

call_end paid_calls::unheard(const paid_call& call) const {
  auto row = options().calls->row(name_of(call));
  const auto& stored = journal_.stored().calls;
  if (auto s = stored.find({call.node, call.attempt}); !row && s != stored.end())
    row = s->second;
  return {.kind = failure_kind::cancelled,
          .charged = charge_unheard(journal_.model(call.model), books().scale(call.model),
                                    row ? row->prompt_bytes : 0, call.reserved),
          .unknown = true};
}

call_end paid_calls::blocked(const failed_try& f, const paid_call& call) const {
  auto kind = f.why.kind == failure_kind::none ? failure_kind::cancelled : f.why.kind;
  return {.kind = kind,
          .charged = charge(call.model, f.told, f.meter),
          .meter = f.meter,
          .unsent = kind == failure_kind::cancelled && f.meter.sent_bytes == 0};
}

void paid_calls::record_end(store_batch& batch, const paid_call& call, const call_end& end) {
  auto fill = [&](auto r) {
    r.kind = end.kind;
    r.reply_digest = end.reply_digest;
    r.usage = end.charged.usage;
    r.unknown = end.unknown;
    r.estimated = end.charged.estimated;
    r.meter = end.meter;
    r.unsent = end.unsent;
    return r;
  };
  if (call.is_agents())
    journal_.record(batch, journal_kind::advised, fill(journal_agent_replied{call.attempt - agent_attempts}));
  else
    journal_.record(batch, journal_kind::replied,
                    fill(journal_replied{call.node.tree, call.node.node, call.attempt}));
}

void paid_calls::settle(store_batch batch, const paid_call& call, const call_end& end) {
  record_end(batch, call, end);
  journal_.commit(std::move(batch));
  forget(call);
}

void paid_calls::forget(const paid_call& call) {
  options().calls->close(name_of(call));
}

void paid_calls::give_up_all(store_batch& batch) {
  for (const auto& call : all_out())
    record_end(batch, call,
               costs_nothing(call.model) ? call_end{.kind = failure_kind::cancelled} : unheard(call));
}

bool paid_calls::try_again(const failed_try& f, const paid_call& call) {
  store_batch batch;
  auto name = name_of(call);
  if (charge_try(batch, f, call.model)) {
    journal_.commit(std::move(batch), {}, [permit = out_.permit, name] { permit(send_permit{name, true}); });
    return true;
  }
  // What it took is more than the budget held for it: who asked asks anew once there is money, or never.
  settle(std::move(batch), call, {.kind = failure_kind::cancelled});
  out_.permit(send_permit{name, false});
  return false;
}

/// Journals the cost of a try; whether the budget holds another one.
bool paid_calls::charge_try(store_batch& batch, const failed_try& f, const std::string& model) {
  auto charged = charge(model, f.told, f.meter);
  auto then = books().money();
  then.settle({}, {.tokens = charged.usage.input_tokens + charged.usage.output_tokens,
                   .nano_usd = amounts::nano(charged.usage.usd),
                   .requests = 1});
  auto last = then.overdrawn().has_value();
  journal_.record(batch, journal_kind::failed_request,
                  journal_failed_request{f.node.tree, f.node.node, f.attempt, f.why.kind, f.why.text,
                                         charged.usage, charged.estimated, f.meter, last});
  return !last;
}

void paid_calls::answer_agent(const paid_call& call, agent_answer answer) {
  if (auto reader = readers_.extract(call.attempt - agent_attempts); reader && reader.mapped())
    reader.mapped()(std::move(answer));
}

// -- models -----------------------------------------------------------------------------------------

std::optional<failure> paid_calls::look_at_fruitless(const failure& last) {
  auto told = std::exchange(told_aside_, books().set_aside());
  for (const auto& name : told_aside_) {
    if (told.contains(name))
      continue;
    auto limit = std::to_string(journal_.settings().budget.fruitless);
    failure why{last.kind,
                "model " + name + " was paid for " + limit +
                    " answers in a row without a candidate, the last one: " + last.text +
                    ". Look at them (`ke-runtime show NODE`) and mend [[model]] " + name +
                    "; `resume` asks it again ([budget] fruitless = " + limit + ", 0: never stop asking)",
                false};
    if (books().all_set_aside())
      return why;
    log::warn("campaign", "a model is set aside; the others go on", {{"why", why.text}});
    journal_.publish(journal_.event("trouble", {{"kind", "model"}, {"text", why.text}}));
  }
  return std::nullopt;
}

std::vector<node_key> paid_calls::resumed() {
  refused_ = false;
  told_aside_.clear();
  return std::exchange(later_, {});
}

} // namespace ke
