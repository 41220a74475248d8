#include "actors/campaign/campaign_keeper.hpp"

#include "actors/messages/addresses.hpp"
#include "backends/verdict/floor.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/search/campaign/settings_change.hpp"
#include "runtime/text/source_template.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <cstdlib>

namespace ke {
namespace {

/// Several verdicts, and every one says that the problem's own check is worthless: asking models on costs
/// money for nothing. One alone may be bad luck with the inputs.
bool all_unfit(const campaign_row& row) {
  constexpr std::uint64_t enough = 3;
  std::uint64_t unfit = 0;
  for (const auto& [name, count] : row.states) {
    auto state = parse_name<node_state>(name);
    if (state == node_state::unfit_problem)
      unfit = count;
    else if (count > 0 && state && has_verdict(*state))
      return false;
  }
  return unfit >= enough;
}

/// A source that is a template: its space, and where in it the source stands. Nothing without parameters.
void note_template(journal_replied& r, const std::string& source, const source_syntax& language,
                   const std::vector<source_parameter>& parameters) {
  for (const auto& p : parameters)
    r.space.push_back(static_cast<std::uint32_t>(p.values.size()));
  r.point = point_in(source, language, parameters);
}

} // namespace

void keeper::answer(const answered& a) {
  if (!loaded_ || ended_)
    return;
  auto t = a.node.tree, n = a.node.node;
  if (!is_open(state_of_node(a.node)) || !is_out(a.node, a.attempt))
    return;
  auto call = *core(t).call(n, a.attempt);
  auto name = call_name(a.node, a.attempt, call.prompt_digest);
  auto charged = charge(call.model, a.usage, a.meter);
  auto& row = rows_[a.node];
  // What the search waits for is a candidate: prompt, commit, queue and model together.
  if (row.planned_ms >= wall_base_)
    latency_.add(static_cast<double>(wall_ms() - row.planned_ms) / 1000);
  const auto& language = language_of(t)->syntax;
  store_batch batch;
  journal_replied r{t, n, a.attempt, a.why.kind, a.reply_digest, {}, {}, charged.usage, false};
  r.estimated = charged.estimated;
  r.meter = a.meter;
  if (a.why.kind == failure_kind::none) {
    r.source_digest = batch.blob(a.source);
    r.normalised_digest = source_digest(a.source, language);
    for (const auto& m : a.more)
      r.more.push_back({m.source.empty() ? std::string{} : batch.blob(m.source), m.plan.substr(0, 300)});
    note_template(r, a.source, language, a.parameters);
    r.descriptor = a.descriptor;
  } else if (!a.source.empty()) {
    batch.blob(a.source); // refused, but paid for: kept
  }
  record(batch, journal_kind::replied, r);
  row.reply_digest = a.reply_digest;
  row.usage = charged.usage;
  row.note = a.plan;
  row.answered_ms = wall_ms();
  if (a.why.kind == failure_kind::none) {
    has_source(std::move(batch), a.node, r);
  } else {
    log::info("campaign", "answer not usable",
              {{"node", id(a.node)}, {"kind", std::string{to_text(a.why.kind)}}, {"why", a.why.text}});
    row.note = std::string{to_text(a.why.kind)} + ": " + a.why.text;
    if (may_repair(row.model) && worth_a_repair(a.why.kind, a.attempt)) {
      put_node(batch, a.node); // still open: its actor asks once more
      commit(std::move(batch));
      calls_->close(name);
      look_at_fruitless(a.why);
      return pay();
    }
    finish_node(batch, a.node, node_state::unanswered, row.note);
  }
  calls_->close(name); // the journal has it: a restart finds it there
  look_at_fruitless(a.why);
  pay();
  pump();
}

void keeper::given(const given_answer& a) {
  if (!loaded_ || ended_ || state_of_node(a.node) != node_state::planned)
    return;
  auto& row = rows_[a.node];
  const auto& language = language_of(a.node.tree)->syntax;
  store_batch batch;
  journal_replied r{a.node.tree, a.node.node, 0};
  r.source_digest = batch.blob(a.source);
  r.normalised_digest = source_digest(a.source, language);
  r.descriptor = a.descriptor;
  if (core(a.node.tree).tree()[a.node.node].operation == operation_kind::variant)
    if (auto parameters = parameters_of(a.source, language))
      note_template(r, a.source, language, *parameters);
  record(batch, journal_kind::replied, r);
  row.note = a.plan;
  row.answered_ms = wall_ms();
  has_source(std::move(batch), a.node, r);
  pump();
}

/// The record of its candidate is in the batch: its row follows, and both are committed.
void keeper::has_source(store_batch batch, const node_key& n, const journal_replied& r) {
  auto& row = rows_[n];
  row.source_digest = r.source_digest;
  row.state = node_state::answered;
  if (auto first = core(n.tree).first_with(r.normalised_digest); first && *first != n.node)
    row.duplicate_of = *first;
  put_node(batch, n);
  commit(std::move(batch));
}

void keeper::failed(const failed_try& f) {
  if (f.attempt > agent_attempts)
    return agent_failed(f);
  if (!loaded_ || ended_ || !is_out(f.node, f.attempt))
    return;
  auto call = *core(f.node.tree).call(f.node.node, f.attempt);
  if (!f.blocked)
    return try_failed(f, call);
  // Never sent, refused before anything was billed, or cancelled: its reservation returns, and the node is
  // asked again after a resume.
  auto charged = charge(call.model, f.told, f.meter);
  journal_replied r{f.node.tree, f.node.node, f.attempt, f.why.kind};
  if (r.kind == failure_kind::none)
    r.kind = failure_kind::cancelled;
  r.unsent = r.kind == failure_kind::cancelled && f.meter.sent_bytes == 0;
  r.usage = charged.usage;
  r.estimated = charged.estimated;
  r.meter = f.meter;
  store_batch batch;
  record(batch, journal_kind::replied, r);
  blocked_.push_back(f.node);
  commit(std::move(batch));
  calls_->close(call_name(f.node, f.attempt, call.prompt_digest));
  if (r.kind != failure_kind::cancelled)
    refused_by_provider(f.why);
  if (interrupted_ || ending_)
    pump(); // perhaps it was the last one out
}

void keeper::try_failed(const failed_try& f, const open_call& call) {
  store_batch batch;
  auto name = call_name(f.node, f.attempt, call.prompt_digest);
  if (allow_retry(batch, f, call.model)) {
    commit(std::move(batch), {},
           [names = options_.names, name] { names->send(addresses::synthesizer, send_permit{name, true}); });
    return look_at_fruitless(f.why);
  }
  // What it took is more than the budget held for it: its node asks anew once there is money, or never.
  record(batch, journal_kind::replied,
         journal_replied{f.node.tree, f.node.node, f.attempt, failure_kind::cancelled});
  commit(std::move(batch));
  calls_->close(name);
  options_.names->send(addresses::synthesizer, send_permit{name, false});
  look_at_fruitless(f.why);
  wake({f.node});
  pump();
}

bool keeper::allow_retry(store_batch& batch, const failed_try& f, const std::string& model_name) {
  auto charged = charge(model_name, f.told, f.meter);
  auto then = books().money();
  then.settle({}, {.tokens = charged.usage.input_tokens + charged.usage.output_tokens,
                   .nano_usd = amounts::nano(charged.usage.usd),
                   .requests = 1});
  auto last = then.overdrawn().has_value();
  record(batch, journal_kind::failed_request,
         journal_failed_request{f.node.tree, f.node.node, f.attempt, f.why.kind, f.why.text, charged.usage,
                                charged.estimated, f.meter, last});
  return !last;
}

call_charge keeper::charge(const std::string& model_name, const token_usage& told, const call_meter& meter) {
  return charge_of(model(model_name), books().scale(model_name), told, meter);
}

void keeper::look_at_fruitless(const failure& last) {
  auto aside = books().set_aside();
  for (const auto& name : aside) {
    if (known_aside_.contains(name))
      continue;
    auto limit = std::to_string(books().settings().budget.fruitless);
    failure why{last.kind,
                "model " + name + " was paid for " + limit +
                    " answers in a row without a candidate, the last one: " + last.text +
                    ". Look at them (`ke-runtime show NODE`) and mend [[model]] " + name +
                    "; `resume` asks it again ([budget] fruitless = " + limit + ", 0: never stop asking)",
                false};
    if (books().all_set_aside()) {
      known_aside_ = std::move(aside);
      log::error("campaign", "paused: no model gives candidates", {{"why", why.text}});
      return interrupt_now("paused", "interrupted", why);
    }
    log::warn("campaign", "a model is set aside; the others go on", {{"why", why.text}});
    if (options_.publish)
      options_.publish(event("trouble", {{"kind", "model"}, {"text", why.text}}));
  }
  known_aside_ = std::move(aside);
}

void keeper::refused_by_provider(const failure& why) {
  if (blocked_why_)
    return;
  blocked_why_ = why;
  log::error("campaign", "paused: the model's provider refuses", {{"why", why.text}});
  interrupt_now("paused", "interrupted", why);
}

void keeper::stage(const stage_changed& s) {
  if (loaded_ && !ended_ && s.node.tree < fold_.trees().size() && s.node.node != 0 &&
      fold_.trees()[s.node.tree].progress(s.node.node, s.stage))
    rows_[s.node].state = s.stage;
}

void keeper::judge(judged& j) {
  if (j.node.node == 0 && loaded_ && !ended_)
    return reference_judged(j);
  if (j.plan == measure_plan::claim && loaded_ && !ended_)
    return claim_judged(j);
  if (!loaded_ || ended_ || !is_open(state_of_node(j.node)))
    return keep_late(j);
  const auto& v = *j.found;
  auto& row = rows_[j.node];
  if (j.duplicate_of != no_node && !is_judged({options_.id, j.node.tree, j.duplicate_of}, j.node)) {
    j.duplicate_of = no_node; // the worker remembers a node that is none of ours
    j.duplicate = false;
  }
  auto batch = j.batch ? std::move(*j.batch) : store_batch{};
  if (!j.duplicate && j.device_s > 0)
    evaluation_.add(j.device_s);
  if (j.duplicate_of != no_node)
    row.duplicate_of = j.duplicate_of;
  else if (!j.duplicate && core(j.node.tree).tree().targets() == 1)
    row.duplicate_of = no_node; // measured for itself: what was known of the same source was no verdict on it
  journal_judged r{j.node.tree,
                   j.node.node,
                   j.target,
                   v.state,
                   decision_under(v, books().settings().goal, j.plan),
                   v.score,
                   j.verdict_digest,
                   j.duplicate ? 0 : j.device_s,
                   j.duplicate ? row.duplicate_of : no_node};
  if (v.timing && v.timing->speedup > 0)
    r.noise = std::max(0.0, 1 - v.timing->low / v.timing->speedup);
  if (v.diagnosis)
    r.roofline = v.diagnosis->roofline_fraction;
  record(batch, journal_kind::judged, r);
  leave_solution(batch, j, false);
  auto targets = core(j.node.tree).tree().targets();
  row.scores.resize(targets);
  row.verdict_digests.resize(targets);
  row.scores[j.target] = v.score;
  row.verdict_digests[j.target] = j.verdict_digest;
  row.device_s += r.device_s;
  row.judged_ms = wall_ms();
  row.decision = r.decision;
  j.batch = nullptr;
  auto committed = std::exchange(j.committed, nullptr);
  auto node = j.node;
  auto unfit = v.state == verdict_state::unfit_problem ? std::optional{v.reason} : std::nullopt;
  options_.names->send(addresses::node_supervisor(options_.id, node.tree), std::move(j));
  if (is_open(state_of_node(node))) {
    put_node(batch, node);
    commit(std::move(batch), {}, committed);
  } else {
    tell_use(node, row, r.noise);
    close_node(batch, node, committed);
  }
  if (unfit && all_unfit(fold_.row(options_.id)))
    interrupt_now(
        "failed", "",
        {failure_kind::invalid, "the problem is unfit, no candidate can be judged: " + *unfit, false});
  pump();
}

/// Whether the first can be what the second repeats.
bool keeper::is_judged(const node_key& first, const node_key& n) {
  return !(first == n) && first.node < core(first.tree).tree().size() && has_verdict(state_of_node(first));
}

/// Of nobody who waits for it: kept as an observation, and the worker may forget it.
void keeper::keep_late(judged& j) {
  if (j.batch)
    options_.store->write(std::move(*j.batch), [done = j.committed](status) { done ? done() : void(); });
  else if (j.committed)
    j.committed();
}

void keeper::evaluation_failed_for(const evaluation_failed& f) {
  if (f.node.node == 0 && loaded_ && !ended_)
    return reference_failed(f);
  if (f.plan == measure_plan::claim && loaded_ && !ended_ && claims_out_ == f.node)
    return claim_failed(f.node, f.why);
  if (!loaded_ || ended_ || !is_open(state_of_node(f.node)))
    return;
  store_batch batch;
  finish_node(batch, f.node, f.state, f.why);
  options_.names->send(addresses::node_supervisor(options_.id, f.node.tree), f);
  pump();
}

void keeper::steered(const steer& s) {
  if (!loaded_ || ended_)
    return s.done(failure{failure_kind::invalid, "the campaign is not running"});
  if (s.act == "hint" && !s.key.empty()) {
    auto id = std::strtoull(s.key.c_str(), nullptr, 10);
    auto trees = fold_.trees().size();
    if (id / trees >= core(static_cast<std::uint32_t>(id % trees)).tree().size())
      return s.done(
          failure{failure_kind::invalid, "campaign " + books_name() + " has no node " + s.key, false});
  }
  store_batch batch;
  if (s.act == "pause")
    pause_reason_ = "a person paused it; `resume` goes on";
  if (s.act == "set") {
    if (!options_.override)
      return s.done(failure{failure_kind::invalid, "settings can't be changed here"});
    auto changed = options_.override(books().settings(), s.key, s.value);
    if (!changed)
      return s.done(changed.error());
    if (auto fine = can_change(books().settings(), *changed, change_time::running); !fine) {
      auto why = fine.error();
      why.text = s.key + ": " + why.text;
      return s.done(why);
    }
    record(batch, journal_kind::steered, journal_steered{s.act, s.key, s.value});
    record(batch, journal_kind::configured,
           journal_configured{*changed, books().problem_digest(), books().backends(), KE_VERSION});
  } else {
    record(batch, journal_kind::steered, journal_steered{s.act, s.key, s.value});
  }
  put_campaign(batch, books().paused() ? "paused" : "running", "");
  commit(std::move(batch), event("steered", {{"act", s.act}}), [done = s.done] { done(ok); });
  if (s.act == "resume") {
    blocked_why_.reset();
    known_aside_.clear();
    options_.names->send(addresses::synthesizer, unblock_models{});
    wake(std::exchange(blocked_, {}));
    pay();
  }
  if (s.act == "stop")
    return finish("stopped");
  pump();
}

void keeper::status_wanted(const status_request& s) {
  if (!loaded_)
    return s.done("null");
  books().wall(wall_ms());
  auto row = fold_.row(options_.id);
  if (interrupted_ && !ended_)
    row.state = "paused";
  row.pause_reason = row.state == "paused" ? pause_reason_ : "";
  s.done(campaign_status_json(row, books().settings(), facts_of_status()));
}

node_state keeper::state_of_node(const node_key& n) {
  return n.tree < fold_.trees().size() && n.node < core(n.tree).tree().size()
             ? core(n.tree).tree()[n.node].state
             : node_state::cancelled;
}

std::uint64_t keeper::wall_ms() const {
  return wall_base_ +
         static_cast<std::uint64_t>(
             std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - begun_).count());
}

const model_settings& keeper::model(const std::string& name) {
  for (const auto& m : books().settings().models)
    if (m.name == name)
      return m;
  throw std::runtime_error{"no [[model]] is named " + name};
}

std::string keeper::call_name(const node_key& node, std::uint32_t attempt,
                              const std::string& prompt_digest) const {
  synthesis_request r;
  r.node = node;
  r.attempt = attempt;
  r.prompt_digest = prompt_digest;
  r.store = options_.store_id;
  return r.call();
}

void keeper::commit(store_batch batch, std::string line, std::function<void()> then) {
  auto publish = options_.publish;
  options_.store->write(std::move(batch),
                        [line = std::move(line), then = std::move(then), publish](status done) {
                          if (!done)
                            return; // the store stopped; its owner ends the program
                          if (!line.empty() && publish)
                            publish(line);
                          if (then)
                            then();
                        });
}

std::string keeper::event(const char* kind,
                          std::initializer_list<std::pair<const char*, std::string>> fields) const {
  return event_json(kind, books_name(), fields);
}

void keeper::put_node(store_batch& batch, const node_key& n) {
  batch.put(table::nodes, key_of(n.campaign, n.tree, n.node), pack(rows_[n]));
}

void keeper::put_campaign(store_batch& batch, const std::string& state, const std::string& reason) {
  auto row = fold_.row(options_.id);
  row.name = stored_->row.name;
  row.settings_digest = stored_->row.settings_digest;
  row.problem_digest = stored_->row.problem_digest;
  row.created_unix_ms = stored_->row.created_unix_ms;
  row.state = state;
  row.stop_reason = reason;
  row.pause_reason = state == "paused" ? pause_reason_ : "";
  batch.put(table::campaigns, key_of(options_.id), pack(row));
}

void keeper::finish_node(store_batch& batch, const node_key& n, node_state state, const std::string& why) {
  record(batch, journal_kind::ended, journal_ended{n.tree, n.node, state, why});
  rows_[n].note = why;
  close_node(batch, n, {});
}

/// The spans of a candidate's way, as far as this session saw them.
void keeper::trace_node(const node_key& n, const node_row& row) const {
  if (!trace::on())
    return;
  auto lane = "node " + std::to_string(n.tree) + "." + std::to_string(n.node);
  auto span = [&](const char* name, std::uint64_t from, std::uint64_t to) {
    if (from < wall_base_ || to < from)
      return;
    auto at = [&](std::uint64_t ms) { return begun_ + std::chrono::milliseconds{ms - wall_base_}; };
    trace::span(lane, name, at(from), at(to));
  };
  if (row.asked_ms > 0)
    span("prompt and commit", row.planned_ms, row.asked_ms);
  if (row.answered_ms > 0)
    span("model", row.asked_ms, row.answered_ms);
  if (row.judged_ms > 0 && row.answered_ms > 0)
    span("evaluate", row.answered_ms, row.judged_ms);
}

void keeper::close_node(store_batch& batch, const node_key& n, std::function<void()> then) {
  const auto& tree = core(n.tree);
  auto& row = rows_[n];
  row.state = tree.tree()[n.node].state;
  row.decision = tree.tree()[n.node].decision; // over all targets
  put_node(batch, n);
  batch.put(table::hot, key_of(n.campaign, n.tree, n.node), pack(tree.row(n.node)));
  put_campaign(batch, "running", "");
  trace_node(n, row);
  auto score = tree.tree()[n.node].score;
  auto line = node_event_json(books_name(), public_id(fold_.trees().size(), n.tree, n.node), row.state,
                              row.decision, score >= 0 ? std::optional{score} : std::nullopt,
                              has_verdict(row.state) ? std::string{} : row.note);
  commit(std::move(batch), std::move(line), std::move(then));
  rows_.erase(n);
  crashes_.erase(n);
}

} // namespace ke
