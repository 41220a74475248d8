#include "actors/campaign/campaign_router.hpp"

#include "actors/campaign/repeated_answer.hpp"
#include "actors/messages/addresses.hpp"
#include "backends/verdict/floor.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/search/campaign/settings_change.hpp"
#include "runtime/text/source_form.hpp"
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

void note_digests(journal_replied& r, const std::string& source, const source_syntax& language) {
  r.normalised_digest = source_digest(source, language);
  if (auto form = form_digest(source, language); form != r.normalised_digest)
    r.form_digest = std::move(form);
}

/// An answer as it is journalled. Its sources become blobs of the batch.
journal_replied record_of_answer(store_batch& batch, const answered& a, const call_charge& charged,
                                 const source_syntax& language) {
  journal_replied r{a.node.tree, a.node.node, a.attempt, a.why.kind, a.reply_digest};
  r.usage = charged.usage;
  r.estimated = charged.estimated;
  r.meter = a.meter;
  if (a.why.kind == failure_kind::none) {
    r.source_digest = batch.blob(a.source);
    note_digests(r, a.source, language);
    for (const auto& m : a.more)
      r.more.push_back({m.source.empty() ? std::string{} : batch.blob(m.source), m.plan.substr(0, 300)});
    note_template(r, a.source, language, a.parameters);
    r.descriptor = a.descriptor;
  } else if (!a.source.empty()) {
    batch.blob(a.source); // refused, but paid for: kept
  }
  return r;
}

/// Sends to this actor, from any thread.
template <class Message>
auto to_me(caf::event_based_actor* self) {
  return [me = weak(self)](Message m) { send_weak(me, std::move(m)); };
}
template <class Message, class Address>
auto to_name(const campaign_options& options, const Address& at) {
  return [names = options.names, at](Message m) { names->send(at, std::move(m)); };
}

} // namespace

campaign_router::campaign_router(caf::event_based_actor* self, campaign_options options)
    : self_{self}, options_{std::move(options)}, journal_{options_, [self] { return self->clock().now(); }},
      rows_{journal_}, devices_{journal_},
      calls_{journal_,
             rows_,
             {[names = options_.names](std::shared_ptr<const synthesis_request> request) {
                names->send(addresses::synthesizer, synthesize{std::move(request)});
              },
              to_name<send_permit>(options_, addresses::synthesizer)}},
      resume_{journal_, calls_}, admissions_{journal_,
                                             devices_,
                                             {to_name<evaluate_request>(options_, addresses::evaluator),
                                              to_name<cancel_evaluation>(options_, addresses::evaluator),
                                              to_me<admission_looked_up>(self)}},
      solutions_{journal_},
      claims_{journal_,
              devices_,
              solutions_,
              {to_name<evaluate_request>(options_, addresses::evaluator),
               to_name<cancel_evaluation>(options_, addresses::evaluator), to_me<finalist_read>(self)}},
      dispatch_{journal_, rows_, {to_me<shapes_read>(self), to_me<parts_read>(self)}} {
  options_.load([me = weak(self_)](result<std::shared_ptr<stored_campaign>> stored) {
    send_weak(me, stored ? campaign_loaded{*stored, {}} : campaign_loaded{nullptr, stored.error()});
  });
}

// -- answers ----------------------------------------------------------------------------------------

void campaign_router::prompt(prompt_ready& p) {
  if (!phase_.is_live())
    return;
  auto state = journal_.state_of(p.request->node);
  if (state != node_state::planned && state != node_state::asked)
    return; // it ended, or was answered while its prompt was built
  calls_.want(std::move(p.request));
  pay();
}

void campaign_router::answer(const answered& a) {
  if (!phase_.is_live() || !is_open(journal_.state_of(a.node)))
    return;
  auto call = calls_.find(a.node, a.attempt);
  if (!call)
    return tell_heard(a, {});
  auto charged = calls_.charge(call->model, a.usage, a.meter);
  auto& row = rows_.of(a.node);
  if (journal_.is_of_this_session(row.planned_ms))
    steps_.candidate_came(static_cast<double>(journal_.wall_ms() - row.planned_ms) / 1000);
  store_batch batch;
  auto r = record_of_answer(batch, a, charged, journal_.language_of(a.node.tree)->syntax);
  auto repeated = repeated_by(journal_, a, r);
  if (repeated)
    r = repeat_of(std::move(r), repeated->first);
  journal_.record(batch, journal_kind::replied, r);
  row.reply_digest = a.reply_digest;
  row.usage = charged.usage;
  rows_.answered(a.node, a.plan);
  auto usable = a.why.kind == failure_kind::none && !repeated;
  if (usable)
    has_source(std::move(batch), a.node, r);
  else if (repeated)
    repeats(std::move(batch), a, *repeated);
  else
    unusable(std::move(batch), a);
  tell_heard(a, repeated ? repeated->why : std::string{});
  calls_.forget(*call); // the journal has it: a restart finds it there
  look_at_fruitless(a.why);
  pay();
  if (usable || !is_open(journal_.state_of(a.node)))
    pump();
}

void campaign_router::unusable(store_batch batch, const answered& a) {
  auto& row = rows_.of(a.node);
  log::info("campaign", "answer not usable",
            {{"node", journal_.id(a.node)}, {"kind", std::string{to_text(a.why.kind)}}, {"why", a.why.text}});
  row.note = std::string{to_text(a.why.kind)} + ": " + a.why.text;
  auto repairs = traits_of(journal_.model(row.model).provider).may_repair;
  if (!repairs || !worth_a_repair(a.why.kind, a.attempt))
    return finish_node(std::move(batch), a.node, node_state::unanswered, row.note);
  rows_.put(batch, a.node); // still open: its actor asks once more
  journal_.commit(std::move(batch));
}

/// Its node stays open: its actor asks once more.
void campaign_router::repeats(store_batch batch, const answered& a, const repeated_answer& what) {
  auto first = public_id(journal_.trees().size(), a.node.tree, what.first);
  log::info("campaign", "an answer repeats a judged candidate",
            {{"node", journal_.id(a.node)}, {"repeats", std::to_string(first)}});
  rows_.of(a.node).note = what.why;
  rows_.put(batch, a.node);
  journal_.commit(std::move(batch), journal_.event("duplicate", {{"node", journal_.id(a.node)},
                                                                 {"repeats", std::to_string(first)},
                                                                 {"attempt", std::to_string(a.attempt)}}));
}

void campaign_router::tell_heard(const answered& a, const std::string& repeats) {
  if (a.waits)
    options_.names->send(addresses::node_supervisor(options_.id, a.node.tree),
                         answer_heard{a.node, a.attempt, repeats});
}

void campaign_router::has_source(store_batch batch, const node_key& n, const journal_replied& r) {
  rows_.has_source(batch, n, r);
  journal_.commit(std::move(batch));
}

void campaign_router::given(const given_answer& a) {
  if (!phase_.is_live() || journal_.state_of(a.node) != node_state::planned)
    return;
  const auto& language = journal_.language_of(a.node.tree)->syntax;
  store_batch batch;
  journal_replied r{a.node.tree, a.node.node, 0};
  r.source_digest = batch.blob(a.source);
  note_digests(r, a.source, language);
  r.descriptor = a.descriptor;
  if (journal_.tree(a.node.tree).tree()[a.node.node].operation == operation_kind::variant)
    if (auto parameters = parameters_of(a.source, language))
      note_template(r, a.source, language, *parameters);
  journal_.record(batch, journal_kind::replied, r);
  rows_.answered(a.node, a.plan);
  has_source(std::move(batch), a.node, r);
  pump();
}

void campaign_router::failed(const failed_try& f) {
  auto call = phase_.is_live() ? calls_.find(f.node, f.attempt) : std::nullopt;
  if (!call)
    return;
  if (f.blocked)
    return call_blocked(f, *call);
  auto again = calls_.try_again(f, *call);
  if (call->is_agents()) {
    if (!again)
      agent_ended(*call, {nullptr, {failure_kind::credit, "no budget is left for another try", false}});
    return;
  }
  look_at_fruitless(f.why);
  if (again)
    return;
  wake({f.node});
  pump();
}

/// Its reservation returns. A node is asked again after a resume; rules do a sub-agent's work, and the
/// campaign goes on unless that model writes candidates, too.
void campaign_router::call_blocked(const failed_try& f, const paid_call& call) {
  auto end = calls_.blocked(f, call);
  auto refused = end.kind != failure_kind::cancelled;
  calls_.settle({}, call, end);
  if (call.is_agents()) {
    auto why = f.why.kind == failure_kind::none ? failure{failure_kind::cancelled, "it was never sent", false}
                                                : f.why;
    agent_ended(call, {nullptr, why});
    if (refused && journal_.model(call.model).weight > 0)
      refused_by_provider(f.why);
    return;
  }
  calls_.ask_later(f.node);
  if (refused)
    refused_by_provider(f.why);
  if (!phase_.is(campaign_phase::running))
    pump(); // perhaps it was the last one out
}

// -- sub-agents' calls ------------------------------------------------------------------------------

void campaign_router::agent_wants(agent_call& c) {
  status begun = failure{failure_kind::cancelled, "no new work is begun", false};
  if (may_begin() && journal_.state_of(c.node) == node_state::planned)
    begun = calls_.ask_for_agent(c);
  if (!begun)
    c.reply(agent_answer{nullptr, begun.error()});
}

void campaign_router::agent_answered(const synthesis& s) {
  auto call = phase_.is_live() ? calls_.find(s.node, s.attempt) : std::nullopt;
  if (!call || !call->is_agents())
    return;
  calls_.settle({}, *call,
                {.kind = s.reply->why.kind,
                 .reply_digest = s.reply_digest,
                 .charged = calls_.charge(call->model, s.reply->told, s.reply->meter),
                 .meter = s.reply->meter});
  agent_ended(*call, {s.reply, s.reply->why});
}

void campaign_router::agent_ended(const paid_call& call, agent_answer answer) {
  calls_.answer_agent(call, std::move(answer));
  pay();
  pump();
}

// -- verdicts ---------------------------------------------------------------------------------------

void campaign_router::stage(const stage_changed& s) {
  if (phase_.is_live() && s.node.tree < journal_.trees().size() && s.node.node != 0 &&
      journal_.tree(s.node.tree).progress(s.node.node, s.stage))
    rows_.of(s.node).state = s.stage;
}

void campaign_router::again(const measured_again& m) {
  ++machine_.measured_again;
  machine_.why = m.why;
  machine_.now.insert(m.node);
}

void campaign_router::judge(judged& j) {
  auto of_reference = j.node.node == 0;
  machine_.now.erase(j.node);
  machine_.held_s += j.held_s;
  machine_.beside_others += j.beside_others;
  if (!phase_.is_live())
    return keep_late(j);
  if (of_reference) {
    if (!admissions_.reference_judged(j))
      return keep_late(j);
    fail_if_all_refused();
  } else if (j.plan == measure_plan::claim) {
    claims_.claim_judged(j);
  } else if (is_open(journal_.state_of(j.node))) {
    candidate_judged(j);
  } else {
    return keep_late(j);
  }
  pump();
}

void campaign_router::candidate_judged(judged& j) {
  forget_foreign_duplicate(j);
  auto batch = j.batch ? std::move(*j.batch) : store_batch{};
  if (!j.duplicate && j.device_s > 0)
    steps_.measured(j.device_s);
  auto& row = rows_.of(j.node);
  if (j.duplicate_of != no_node)
    row.duplicate_of = j.duplicate_of;
  else if (!j.duplicate && journal_.tree(j.node.tree).tree().targets() == 1)
    row.duplicate_of = no_node; // measured for itself: what was known of the same source was no verdict on it
  auto r = record_of(j, row.duplicate_of);
  journal_.record(batch, journal_kind::judged, r);
  solutions_.judged_by_search(batch, j);
  rows_.judged(j.node, r);
  j.batch = nullptr;
  auto committed = std::exchange(j.committed, nullptr);
  auto node = j.node;
  auto found = j.found;
  options_.names->send(addresses::node_supervisor(options_.id, node.tree), std::move(j));
  if (is_open(journal_.state_of(node))) {
    rows_.put(batch, node);
    journal_.commit(std::move(batch), {}, committed);
  } else {
    tell_use(node, row, r.noise);
    close_node(std::move(batch), node, committed);
  }
  if (found->state == verdict_state::unfit_problem && all_unfit(journal_.row({})))
    pause(
        "failed", "",
        {failure_kind::invalid, "the problem is unfit, no candidate can be judged: " + found->reason, false});
}

/// The worker may remember a node that is none of ours, or that has no verdict.
void campaign_router::forget_foreign_duplicate(judged& j) const {
  if (j.duplicate_of == no_node)
    return;
  auto first = journal_.key(j.node.tree, j.duplicate_of);
  if (first == j.node || first.node >= journal_.tree(first.tree).tree().size() ||
      !has_verdict(journal_.state_of(first))) {
    j.duplicate_of = no_node;
    j.duplicate = false;
  }
}

journal_judged campaign_router::record_of(const judged& j, std::uint32_t duplicate_of) const {
  const auto& v = *j.found;
  journal_judged r{j.node.tree, j.node.node, j.target, v.state};
  r.decision = decision_under(v, journal_.settings().goal, j.plan);
  r.score = v.score;
  r.verdict_digest = j.verdict_digest;
  r.device_s = j.duplicate ? 0 : j.device_s;
  r.duplicate_of = j.duplicate ? duplicate_of : no_node;
  if (v.timing && v.timing->speedup > 0)
    r.noise = std::max(0.0, 1 - v.timing->low / v.timing->speedup);
  if (v.diagnosis) {
    r.roofline = v.diagnosis->roofline_fraction;
    r.bottleneck = v.diagnosis->bottleneck;
  }
  return r;
}

void campaign_router::keep_late(judged& j) {
  if (j.batch)
    options_.store->write(std::move(*j.batch), [done = j.committed](status) { done ? done() : void(); });
  else if (j.committed)
    j.committed();
}

void campaign_router::evaluation_failed_for(const evaluation_failed& f) {
  if (!phase_.is_live())
    return;
  if (f.node.node == 0) {
    if (!admissions_.reference_failed(f))
      return;
    fail_if_all_refused();
  } else if (f.plan == measure_plan::claim && claims_.is_out(f.node)) {
    claims_.claim_failed(f.node, f.why);
  } else if (is_open(journal_.state_of(f.node))) {
    finish_node({}, f.node, f.state, f.why);
    options_.names->send(addresses::node_supervisor(options_.id, f.node.tree), f);
  } else {
    return;
  }
  pump();
}

void campaign_router::crashed(const node_crashed& c) {
  if (!phase_.is_live() || !is_open(journal_.state_of(c.node)))
    return;
  log::warn("campaign", "a node's actor crashed", {{"node", journal_.id(c.node)}, {"why", c.why}});
  if (rows_.crashed(c.node) < 2)
    return wake({c.node});
  finish_node({}, c.node, node_state::poisoned, c.why);
  pump();
}

void campaign_router::finish_node(store_batch batch, const node_key& n, node_state state,
                                  const std::string& why) {
  journal_.record(batch, journal_kind::ended, journal_ended{n.tree, n.node, state, why});
  rows_.of(n).note = why;
  close_node(std::move(batch), n, {});
}

void campaign_router::close_node(store_batch batch, const node_key& n, std::function<void()> then) {
  machine_.now.erase(n);
  auto row = rows_.close(batch, n);
  journal_.put_campaign(batch, "running");
  trace_life(journal_, n, row);
  auto score = journal_.tree(n.tree).tree()[n.node].score;
  auto line = node_event_json(journal_.settings().name, public_id(journal_.trees().size(), n.tree, n.node),
                              row.state, row.decision, score >= 0 ? std::optional{score} : std::nullopt,
                              has_verdict(row.state) ? std::string{} : row.note);
  journal_.commit(std::move(batch), std::move(line), std::move(then));
}

// -- what is read from the store --------------------------------------------------------------------

void campaign_router::finalist(const finalist_read& f) {
  if (!phase_.is_live() || !claims_.is_out(f.node))
    return;
  claims_.measure(f);
  if (!f.source)
    pump(); // its claim has failed
}

void campaign_router::shapes(const shapes_read& s) {
  dispatch_.plan(s, phase_.is(campaign_phase::claiming));
  pump();
}

void campaign_router::parts(const parts_read& p) {
  if (auto made = dispatch_.assemble(p, phase_.is(campaign_phase::claiming)))
    wake({*made});
  pump();
}

void campaign_router::looked_up(const admission_looked_up& l) {
  if (!phase_.is_live())
    return;
  admissions_.looked_up(l, phase_.is(campaign_phase::running));
  pump();
}

// -- people -----------------------------------------------------------------------------------------

void campaign_router::steered(const steer& s) {
  auto fine = check(s);
  store_batch batch;
  if (fine)
    fine = record_act(batch, s);
  if (!fine)
    return s.done(fine.error());
  if (s.act == "pause")
    journal_.pause_reason("a person paused it; `resume` goes on");
  journal_.put_campaign(batch, journal_.books().paused() ? "paused" : "running");
  journal_.commit(std::move(batch), journal_.event("steered", {{"act", s.act}}),
                  [done = s.done] { done(ok); });
  if (s.act == "resume") {
    auto again = calls_.resumed();
    options_.names->send(addresses::synthesizer, unblock_models{});
    wake(again);
    pay();
  }
  if (s.act == "stop")
    return stop_search("stopped", last_measurements::none);
  pump();
}

status campaign_router::check(const steer& s) const {
  if (!phase_.is_live())
    return failure{failure_kind::invalid, "the campaign is not running"};
  if (s.act == "set" && !options_.override)
    return failure{failure_kind::invalid, "settings can't be changed here"};
  if (s.act != "hint" || s.key.empty())
    return ok;
  auto id = std::strtoull(s.key.c_str(), nullptr, 10);
  auto trees = journal_.trees().size();
  if (id / trees < journal_.tree(static_cast<std::uint32_t>(id % trees)).tree().size())
    return ok;
  return failure{failure_kind::invalid, "campaign " + journal_.settings().name + " has no node " + s.key,
                 false};
}

/// Journals the act, and what it changes. A refused change of settings leaves the batch empty.
status campaign_router::record_act(store_batch& batch, const steer& s) {
  if (s.act != "set") {
    journal_.record(batch, journal_kind::steered, journal_steered{s.act, s.key, s.value});
    return ok;
  }
  const auto& books = journal_.books();
  auto changed = options_.override(books.settings(), s.key, s.value);
  if (!changed)
    return changed.error();
  if (auto fine = can_change(books.settings(), *changed, change_time::running); !fine) {
    auto why = fine.error();
    why.text = s.key + ": " + why.text;
    return why;
  }
  journal_.record(batch, journal_kind::steered, journal_steered{s.act, s.key, s.value});
  journal_.record(batch, journal_kind::configured,
                  journal_configured{*changed, books.problem_digest(), books.backends(), KE_VERSION});
  return ok;
}

void campaign_router::status_wanted(const status_request& s) {
  if (!phase_.has_run())
    return s.done("null");
  journal_.books().wall(journal_.wall_ms());
  auto row = journal_.row(phase_.is(campaign_phase::pausing) ? "paused" : "");
  s.done(campaign_status_json(row, journal_.settings(), facts_of_status()));
}

} // namespace ke
