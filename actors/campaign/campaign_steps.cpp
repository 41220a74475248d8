#include "actors/campaign/campaign_keeper.hpp"

#include "actors/messages/addresses.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/search/campaign/finalists.hpp"
#include "runtime/search/policy/credit.hpp"
#include "runtime/store/prompt_sections.hpp"

namespace ke {
namespace {

constexpr std::chrono::milliseconds tick_every{500};
constexpr std::chrono::seconds hearing{5}; ///< how a cancelled call has ended

} // namespace

void keeper::prompt(prompt_ready& p) {
  auto& request = *p.request;
  auto state = loaded_ && !ended_ ? state_of_node(request.node) : node_state::cancelled;
  if (state != node_state::planned && state != node_state::asked)
    return; // it ended, or was answered while its prompt was built
  request.reserved = worst_case(model(request.model), bytes_of(request.prompt));
  request.store = options_.store_id;
  unpaid_.push_back(std::move(p.request));
  pay();
}

void keeper::tick() {
  if (ended_)
    return;
  after(self_, tick_every, campaign_tick{});
  if (!loaded_)
    return;
  books().wall(wall_ms());
  look_for_devices();
  publish_progress();
  static auto& unpaid = counters::get("campaign.prompts_waiting");
  unpaid = static_cast<std::int64_t>(unpaid_.size());
  if (trace::on())
    for (const auto& [name, value] : counters::snapshot())
      trace::counter(name, static_cast<double>(value));
  pump();
}

void keeper::make_image() {
  if (!options_.keep_image || records_ == imaged_ || last_.body.empty())
    return;
  imaged_ = records_;
  auto header = header_of_image(options_.store_id, options_.id, records_, last_);
  auto body = std::make_shared<std::string>(fold_.image(records_));
  commit({}, {}, [keep = options_.keep_image, header = std::move(header), body]() mutable {
    keep(std::move(header), std::move(*body));
  });
}

void keeper::interrupted() {
  if (interrupted_)
    return end(outcome_);
  // Waiting for a device, it was paused already (product.md, exit code 5).
  interrupt_now("paused", "interrupted",
                no_device_.empty() ? failure{}
                                   : failure{failure_kind::device,
                                             "stopped while it waited for a device: " + no_device_, true});
}

void keeper::grace_over() {
  if (interrupted_ && !ended_)
    end(outcome_);
}

void keeper::pay() {
  if (interrupted_ || ending_ || books().paused())
    return; // no new work
  while (!unpaid_.empty()) {
    auto request = unpaid_.front();
    if (auto s = state_of_node(request->node); s != node_state::planned && s != node_state::asked) {
      unpaid_.pop_front();
      continue;
    }
    if (is_out(request->node, request->attempt)) { // its tree was started again and asks twice
      unpaid_.pop_front();
      continue;
    }
    divert(*request);
    if (books().money().lacking(campaign_state::claim(request->reserved)))
      break;
    unpaid_.pop_front();
    const auto& n = request->node;
    auto& row = rows_[n];
    store_batch batch;
    record(batch, journal_kind::asked,
           journal_asked{n.tree, n.node, request->attempt, request->model, request->prompt_digest,
                         request->reserved});
    request->occurrence = request->attempt - 1;
    std::vector<stored_section> sections;
    for (const auto& s : request->prompt.sections)
      sections.push_back(s.stable || s.shared ? stored_section{batch.blob(s.text), {}, s.name}
                                              : stored_section{{}, s.text, s.name});
    row.dropped = request->prompt.dropped;
    row.shown.clear();
    for (const auto& s : request->prompt.sections)
      if (constexpr std::string_view mark = "knowledge:"; s.name.starts_with(mark))
        row.shown.push_back(s.name.substr(mark.size()));
    row.prompt_digest = request->prompt_digest;
    row.sections_digest = batch.blob(pack(sections));
    row.model = request->model;
    row.attempts = request->attempt;
    row.asked_ms = wall_ms();
    row.state = node_state::asked;
    put_node(batch, n);
    send_call(std::move(batch), request);
  }
}

void keeper::divert(synthesis_request& request) {
  const auto& aside = books().set_aside();
  if (!aside.contains(request.model))
    return;
  const model_settings* other = nullptr;
  for (const auto& m : books().settings().models)
    if (m.weight > 0 && !aside.contains(m.name) && (!other || m.weight > other->weight))
      other = &m;
  if (!other)
    return;
  request.model = other->name;
  request.reserved = worst_case(*other, bytes_of(request.prompt));
}

void keeper::send_call(store_batch batch, std::shared_ptr<const synthesis_request> request) {
  const auto& n = request->node;
  call_row call{request->model,
                request->prompt_digest,
                {},
                failure_kind::none,
                {},
                request->reserved,
                options_.unix_ms(),
                0,
                true,
                bytes_of(request->prompt)};
  batch.put(table::calls, key_of(n.campaign, n.tree, n.node, request->attempt), pack(call));
  calls_->open(request->call(), n, request->attempt, std::move(call));
  commit(std::move(batch), {},
         [names = options_.names, request] { names->send(addresses::synthesizer, synthesize{request}); });
}

/// Claims whoever may reach the goal. All nodes are looked at, so only after a candidate was found right or a
/// claim ended: else a noisy claim of a good candidate would cost a walk at every step.
void keeper::look_for_goal() {
  std::pair news{books().claims().all().size(), books().settings().goal.target_speedup};
  for (const auto& e : books().claims().all())
    news.first += e.complete();
  for (const auto& tree : fold_.trees())
    news.first += tree.tree().count(node_state::correct);
  if (news == no_goal_at_)
    return;
  if (auto who = goal_candidate(fold_))
    begin_claim(*who);
  else
    no_goal_at_ = news;
}

void keeper::pump() {
  if (!loaded_ || ended_)
    return;
  if (image_is_due(records_, imaged_, options_.image_every))
    make_image();
  if (learning_)
    return interrupted_ ? end(outcome_) : void();
  if (ending_)
    return interrupted_ ? end(outcome_) : search_ended();
  if (closing_)
    return interrupted_ ? end(outcome_) : go_on_closing();
  auto reason = stop_reason();
  // The claim that reached the goal has been made; where shapes have bests of their own, one more may follow.
  if (reason && (!options_.claims || (*reason == "target" && (interrupted_ || !may_dispatch()))))
    return finish(*reason);
  if (reason && !interrupted_)
    return close(*reason);
  if (interrupted_) {
    if ((in_evaluation() == 0 || !no_device_.empty()) && calls_out() == 0)
      end(outcome_);
    return;
  }
  if (options_.claims && !claims_out_ && !books().paused())
    look_for_goal();
  for (auto& tree : fold_.trees()) {
    auto slots = slots_of(tree.backend());
    auto admitted = slots > 0 && is_admitted(tree); // nobody is paid for what can't be judged
    if (interrupted_)
      return; // it was refused
    if (!admitted)
      continue;
    if (!facts_[tree.backend()]) // prompts tell them
      facts_[tree.backend()] = std::make_shared<const device_info>(
          *device_of(capacity_.at(tree.backend()), targets_of(tree.backend()).front()));
    wake_sleeping(tree.number());
    // While a claim is out the goal may be reached: nothing more is paid for.
    if (!books().paused() && unpaid_.empty() && !claims_out_)
      step(tree, slots);
  }
}

void keeper::step(search_tree& tree, std::uint32_t slots) {
  const auto& index = tree.tree();
  auto evaluating =
      static_cast<std::uint32_t>(index.count(node_state::answered) + index.count(node_state::building) +
                                 index.count(node_state::measuring));
  auto busy = std::min(slots, evaluating);
  auto rate = evaluation_.value() > 0 ? slots / evaluation_.value() : 0;
  auto count = credit(
      {.slots = slots,
       .busy = busy,
       .queued = evaluating - busy,
       .asking =
           static_cast<std::uint32_t>(index.count(node_state::planned) + index.count(node_state::asked)),
       .model_latency_s = latency_.value(),
       .evaluations_per_s = rate,
       .parallel = static_cast<std::uint32_t>(books().settings().search.parallel),
       .candidates_left = books().money().candidates_left() + (tree.can_tune() ? books().tune_left() : 0)});
  if (count == 0)
    return;
  auto stepped = fold_.step(tree.number(), count);
  if (!stepped)
    throw std::runtime_error{stepped.error().text};
  auto& [made, r] = *stepped;
  if (made.empty()) { // nothing was drawn, so nothing is recorded
    if (books().in_flight() == 0)
      options_.claims ? close("stall") : finish("stall"); // nothing can be expanded and nothing is on its way
    return;
  }
  store_batch batch;
  journal(batch, journal_kind::stepped, r);
  std::vector<node_key> fresh;
  for (const auto& x : made) {
    node_key n{options_.id, tree.number(), x.node};
    auto& row = rows_[n];
    row.parents = {x.parent};
    if (x.parent2 != no_node)
      row.parents.push_back(x.parent2);
    row.model = x.model;
    row.memory = x.memory;
    row.planned_ms = wall_ms();
    fresh.push_back(n);
  }
  commit(std::move(batch));
  wake(fresh);
}

std::size_t keeper::in_evaluation() {
  std::size_t n = 0;
  for (const auto& t : fold_.trees())
    for (auto s : {node_state::answered, node_state::building, node_state::measuring})
      n += t.tree().count(s);
  return n;
}

std::optional<std::string> keeper::stop_reason() {
  auto next = unpaid_.empty() ? amounts{.candidates = 1} : campaign_state::claim(unpaid_.front()->reserved);
  auto can_tune = std::any_of(fold_.trees().begin(), fold_.trees().end(), [&](const search_tree& tree) {
    return tree.can_tune() && slots_of(tree.backend()) > 0;
  });
  if (auto reason = books().stop(next, options_.claims, can_tune))
    return std::string{*reason};
  // Everything in flight waits for money that is not there.
  if (!unpaid_.empty() && unpaid_.size() == books().in_flight() && calls_out() == 0)
    if (auto what = books().money().lacking(next))
      return std::string{to_text(*what)};
  return std::nullopt;
}

bool keeper::proven() {
  auto timed = books().settings().goal.timed;
  const auto& claims = books().claims();
  if (claims.champion(timed))
    return true;
  const auto& best = books().best();
  if (best.node == no_node || claims.measured({best.tree, best.node}))
    return false;
  return !timed || core(best.tree).tree()[best.node].decision == timing_decision::faster;
}

void keeper::finish(std::string reason) {
  end_search(std::move(reason), false);
}

void keeper::end_search(std::string reason, bool claims) {
  if (ending_)
    return;
  ending_ = {std::move(reason), claims};
  drop_claim();
  drop_admissions();
  options_.names->send(addresses::synthesizer, drop_requests{options_.id, true});
  if (calls_out() > 0)
    after(self_, hearing, hearing_over{});
  search_ended();
}

void keeper::heard_enough() {
  if (!ending_ || ended_)
    return;
  store_batch batch;
  settle_calls_out(batch);
  commit(std::move(batch));
  search_ended();
}

void keeper::search_ended() {
  if (!ending_ || calls_out() > 0)
    return;
  auto [reason, claims] = *std::exchange(ending_, std::nullopt);
  store_batch batch;
  wind_down(batch, reason);
  commit(std::move(batch));
  if (!claims)
    return conclude(std::move(reason));
  closing_ = std::move(reason);
  go_on_closing();
}

/// Those whose end nobody has told in time.
void keeper::settle_calls_out(store_batch& batch) {
  for (const auto& [t, call] : fold_.open_calls()) {
    journal_replied r{t, call.node, call.attempt, failure_kind::cancelled};
    if (!costs_nothing(call.model)) {
      auto charged =
          unheard({options_.id, t, call.node}, call.attempt, call.prompt_digest, call.model, call.reserved);
      r.usage = charged.usage;
      r.estimated = charged.estimated;
      r.unknown = true;
    }
    record(batch, journal_kind::replied, r);
  }
  for (const auto& c : std::vector{books().agent_calls_out()})
    give_up_agent_call(batch, c, costs_nothing(c.model));
}

void keeper::wind_down(store_batch& batch, const std::string& reason) {
  for (auto& tree : fold_.trees())
    for (auto n : tree.open_nodes()) {
      node_key key{options_.id, tree.number(), n};
      options_.names->send(addresses::evaluator, cancel_evaluation{key});
      record(batch, journal_kind::ended, journal_ended{tree.number(), n, node_state::cancelled, reason});
      rows_[key].state = node_state::cancelled;
      rows_[key].note = reason;
      put_node(batch, key);
      batch.put(table::hot, key_of(key.campaign, key.tree, key.node), pack(tree.row(n)));
      options_.names->send(addresses::node_supervisor(options_.id, key.tree),
                           evaluation_failed{key, node_state::cancelled, reason});
    }
}

void keeper::conclude(std::string reason) {
  if (learning_ || begin_learning(reason))
    return;
  store_batch batch;
  record(batch, journal_kind::finished, journal_finished{reason});
  put_campaign(batch, "finished", reason);
  ended_ = true;
  tell_wanted(true);
  auto line =
      event("stop", {{"reason", reason}, {"state", "finished"}, {"proven", proven() ? "true" : "false"}});
  commit(std::move(batch), std::move(line),
         [tell = options_.ended, out = campaign_outcome{"finished", reason, proven(), {}}] { tell(out); });
  if (image_is_due(records_, imaged_, options_.image_every / 4, 64))
    make_image();
}

void keeper::interrupt_now(std::string state, std::string reason, failure why) {
  if (interrupted_ || ended_)
    return;
  interrupted_ = true;
  if (why.kind != failure_kind::none)
    pause_reason_ = why.text;
  outcome_ = {std::move(state), std::move(reason), loaded_ && proven(), std::move(why)};
  if (!loaded_)
    return end(outcome_);
  drop_claim();
  drop_admissions();
  options_.names->send(addresses::synthesizer, drop_requests{options_.id, false});
  after(self_, options_.grace, grace_is_over{});
  pump();
}

void keeper::end(campaign_outcome out) {
  if (ended_)
    return;
  ended_ = true;
  auto failed = out.why.kind != failure_kind::none;
  auto line = event_json("stop", loaded_ ? books_name() : options_.settings.name,
                         {{"reason", out.reason},
                          {"state", out.state},
                          {"proven", out.proven ? "true" : "false"},
                          {"failure", failed ? std::string{to_text(out.why.kind)} : std::string{}},
                          {"text", out.why.text}});
  // The session ends whether or not this can be committed, but after all that was told before.
  auto tell = [publish = options_.publish, line](const status&) {
    if (publish)
      publish(line);
  };
  if (loaded_) {
    store_batch batch;
    put_campaign(batch, out.state, out.reason);
    options_.store->write(std::move(batch), tell);
    if (image_is_due(records_, imaged_, options_.image_every / 4, 64))
      make_image();
  } else {
    tell(ok);
  }
  options_.ended(out);
}

void keeper::publish_progress() {
  if (!options_.publish)
    return;
  auto row = fold_.row(options_.id);
  options_.publish(progress_event_json(row, books().settings(), facts_of_status()));
}

} // namespace ke
