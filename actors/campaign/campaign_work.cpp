#include "actors/campaign/campaign_router.hpp"
#include "actors/campaign/node_contexts.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/fleet_messages.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/search/campaign/settings_change.hpp"

#include <algorithm>
#include <stdexcept>

namespace ke {
namespace {

constexpr std::chrono::milliseconds tick_every{500};

} // namespace

// -- the start --------------------------------------------------------------------------------------

void campaign_router::loaded(campaign_loaded& l) {
  if (!phase_.is(campaign_phase::loading))
    return; // interrupted meanwhile
  if (!l.stored)
    return end_session({.state = "failed", .why = l.why});
  rows_.load(std::move(l.stored->rows));
  journal_.load(std::move(l.stored));
  const auto& books = journal_.books();
  auto changed = !(options_.settings == books.settings());
  if (!books.finished_reason().empty() && !changed) { // nothing to do, unless new settings reopen it
    auto reason = books.finished_reason();
    enter(campaign_phase::ended, session_ending{.resumable = false, .state = "finished", .reason = reason});
    tell_wanted(true);
    return options_.ended({"finished", reason, proven(), {}});
  }
  if (auto fine = can_change(books.settings(), options_.settings, change_time::resumed); !fine)
    return end_session({.state = "failed", .why = fine.error()});
  begin(changed);
}

void campaign_router::begin(bool changed) {
  store_batch batch;
  journal_.record(batch, journal_kind::session, journal_session{options_.epoch});
  if (changed) {
    journal_configured now{options_.settings, journal_.books().problem_digest(), trees_of(options_.settings),
                           KE_VERSION};
    if (auto done = journal_.fold().apply(now); !done)
      return end_session({.state = "failed", .why = done.error()});
    journal_.journal(batch, journal_kind::configured, now);
  }
  enter(campaign_phase::running);
  options_.names->send(addresses::synthesizer, unblock_models{}); // what was refused may be mended
  options_.names->send(addresses::fleet, watch_capacity{addresses::campaign(options_.id)});
  journal_.put_campaign(batch, "running");
  journal_.commit(std::move(batch),
                  journal_.event("campaign", {{"state", "running"},
                                              {"nodes", std::to_string(journal_.fold().states().size())}}));
  store_batch left_open;
  resume_.take_up(left_open);
  journal_.commit(std::move(left_open));
  tell_wanted(false);
  tick();
}

void campaign_router::tell_wanted(bool over) {
  evaluations_wanted w{options_.id, {}, over};
  if (!over)
    for (const auto& tree : journal_.trees())
      for (std::uint32_t t = 0; t < tree.tree().targets(); ++t) {
        if (options_.admission) // of the reference
          w.open.emplace_back(journal_.key(tree.number(), 0), t);
        for (auto n : tree.open_nodes())
          w.open.emplace_back(journal_.key(tree.number(), n), t);
      }
  options_.names->send(addresses::fleet, std::move(w));
}

// -- beginning candidates ---------------------------------------------------------------------------

void campaign_router::pay() {
  if (may_begin())
    calls_.pay();
}

void campaign_router::pump() {
  if (!phase_.is_live())
    return;
  journal_.image_while_running();
  if (phase_.is(campaign_phase::learning))
    return;
  if (phase_.is(campaign_phase::settling))
    return search_is_over();
  if (phase_.is(campaign_phase::claiming))
    return claim_next();
  auto pausing = phase_.is(campaign_phase::pausing);
  if (auto reason = stop_reason()) {
    auto reached = *reason == "target";
    if (!options_.claims || (reached && pausing))
      return stop_search(*reason, last_measurements::none);
    // The claim that reached the goal has been made; where shapes have bests of their own, one more may follow.
    if (!pausing)
      return stop_search(*reason, reached && !dispatch_.is_possible() ? last_measurements::champion
                                                                      : last_measurements::finalists);
  }
  if (pausing)
    return pause_is_over();
  begin_candidates();
}

void campaign_router::begin_candidates() {
  if (options_.claims && !claims_.is_out() && may_begin())
    if (auto who = claims_.goal_candidate())
      claims_.begin(*who);
  for (auto& tree : journal_.trees()) {
    const auto& backend = tree.backend();
    auto slots = devices_.slots_of(backend);
    auto admitted = slots > 0 && admissions_.is_admitted(tree); // nobody is paid for what can't be judged
    fail_if_all_refused();
    if (!phase_.is(campaign_phase::running))
      return;
    if (!admitted)
      continue;
    devices_.note_facts(backend); // prompts tell them
    wake_sleeping(tree.number());
    // While a claim is out the goal may be reached: nothing more is paid for.
    if (may_begin() && !calls_.is_waiting() && !claims_.is_out())
      step(tree, slots);
    if (!phase_.is(campaign_phase::running))
      return;
  }
}

void campaign_router::step(search_tree& tree, std::uint32_t slots) {
  auto count = steps_.to_begin(tree, journal_.books(), slots);
  if (count == 0)
    return;
  auto stepped = journal_.fold().step(tree.number(), count);
  if (!stepped)
    throw std::runtime_error{stepped.error().text};
  auto& [made, r] = *stepped;
  if (made.empty()) { // nothing was drawn, so nothing is recorded
    if (journal_.books().in_flight() == 0)
      stop_search("stall",
                  options_.claims
                      ? last_measurements::finalists
                      : last_measurements::none); // nothing can be expanded and nothing is on its way
    return;
  }
  store_batch batch;
  journal_.journal(batch, journal_kind::stepped, r);
  std::vector<node_key> fresh;
  for (const auto& x : made)
    fresh.push_back(rows_.planned(tree.number(), x));
  journal_.commit(std::move(batch));
  wake(fresh);
}

void campaign_router::look_at_fruitless(const failure& last) {
  if (auto why = calls_.look_at_fruitless(last)) {
    log::error("campaign", "paused: no model gives candidates", {{"why", why->text}});
    pause("paused", "interrupted", *why);
  }
}

void campaign_router::refused_by_provider(const failure& why) {
  if (!calls_.is_first_refusal())
    return;
  log::error("campaign", "paused: the model's provider refuses", {{"why", why.text}});
  pause("paused", "interrupted", why);
}

void campaign_router::fail_if_all_refused() {
  if (auto why = admissions_.all_refused())
    pause("failed", "", {failure_kind::invalid, refusal_text(journal_.settings().problem_path, *why), false});
}

// -- nodes awake and asleep -------------------------------------------------------------------------

void campaign_router::wake(const std::vector<node_key>& nodes) {
  for (auto& [tree, e] : contexts_of(journal_, rows_, devices_, nodes)) {
    for (auto& context : e.nodes)
      context.reference = admissions_.reference_times(tree);
    options_.names->send(addresses::node_supervisor(options_.id, tree), std::move(e));
  }
}

void campaign_router::wake_sleeping(std::uint32_t tree) {
  auto awake = resume_.wake(tree);
  wake(awake.nodes);
  for (auto& request : awake.requests)
    options_.names->send(addresses::synthesizer, synthesize{std::move(request)});
  for (auto& answer : awake.answers)
    options_.names->send(addresses::node_supervisor(options_.id, tree), std::move(answer));
}

void campaign_router::context_wanted(const want_context& w) {
  if (!phase_.is_live())
    return;
  auto n = journal_.key(w.tree, w.node);
  if (resume_.sleeps(n))
    return; // it will be woken with the others, when there is a device whose facts its prompt can tell
  if (is_open(journal_.state_of(n)))
    return wake({n});
  // It ended while it rested: what its tree keeps for it is of no use any more.
  options_.names->send(addresses::node_supervisor(options_.id, w.tree), retire{w.node, nullptr});
}

/// A tree that was started again without us has forgotten its nodes; what they wait for still comes.
void campaign_router::tree_began(const tree_started& t) {
  if (!phase_.is_live() || t.tree >= journal_.trees().size())
    return;
  std::vector<node_key> open;
  for (auto n : journal_.tree(t.tree).open_nodes())
    if (auto key = journal_.key(t.tree, n); !resume_.sleeps(key))
      open.push_back(key);
  calls_.forget(t.tree); // asked for again
  wake(open);
}

// -- devices, time, news ----------------------------------------------------------------------------

void campaign_router::capacity_is(const capacity& c) {
  devices_.offered(c);
  if (phase_.is_live())
    devices_.look();
  pump();
}

void campaign_router::tick() {
  if (!phase_.is_live())
    return;
  after(self_, tick_every, campaign_tick{});
  journal_.books().wall(journal_.wall_ms());
  devices_.look();
  claims_.look();
  if (options_.publish)
    options_.publish(
        progress_event_json(journal_.fold().row(options_.id), journal_.settings(), facts_of_status()));
  static auto& unpaid = counters::get("campaign.prompts_waiting");
  unpaid = static_cast<std::int64_t>(calls_.waiting());
  if (trace::on())
    for (const auto& [name, value] : counters::snapshot())
      trace::counter(name, static_cast<double>(value));
  pump();
}

status_facts campaign_router::facts_of_status() const {
  const auto& books = journal_.books();
  status_facts facts{.live = true,
                     .in_flight = books.in_flight(),
                     .trouble = devices_.trouble(),
                     .set_aside = books.set_aside(),
                     .machine = machine_};
  for (const auto& tree : journal_.trees()) {
    const auto& backend = tree.backend();
    auto missing = devices_.missing(backend);
    for (const auto& pattern : missing)
      facts.waiting.push_back({backend, pattern, waiting_text(backend, pattern)});
    auto text = missing.empty() ? admissions_.waits_for(tree.number()) : std::string{};
    if (!text.empty())
      for (const auto& pattern : devices_.targets_of(backend))
        facts.waiting.push_back({backend, pattern, text});
  }
  return facts;
}

} // namespace ke
