#include "actors/campaign/campaign_router.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/search/campaign/dispatchers.hpp"
#include "runtime/search/campaign/finalists.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::chrono::seconds hearing{5}; ///< how a cancelled call has ended: its provider knows the cost

} // namespace

std::optional<std::string> campaign_router::stop_reason() const {
  const auto& books = journal_.books();
  const auto& trees = journal_.trees();
  auto next = calls_.next();
  auto can_tune = std::any_of(trees.begin(), trees.end(), [&](const search_tree& tree) {
    return tree.can_tune() && devices_.slots_of(tree.backend()) > 0;
  });
  if (auto reason = books.stop(next, options_.claims, can_tune))
    return std::string{*reason};
  if (calls_.all_wait()) // for money that is not there
    if (auto what = books.money().lacking(next))
      return std::string{to_text(*what)};
  return std::nullopt;
}

bool campaign_router::proven() const {
  auto timed = journal_.settings().goal.timed;
  const auto& claims = journal_.books().claims();
  if (claims.champion(timed))
    return true;
  const auto& best = journal_.books().best();
  if (best.node == no_node || claims.measured({best.tree, best.node}))
    return false;
  return !timed || journal_.tree(best.tree).tree()[best.node].decision == timing_decision::faster;
}

// -- for good ---------------------------------------------------------------------------------------

void campaign_router::stop_search(std::string reason, last_measurements first) {
  if (phase_.is(campaign_phase::settling) || phase_.is(campaign_phase::learning))
    return; // it is on its way
  enter(campaign_phase::settling,
        session_ending{.resumable = false, .state = "finished", .reason = std::move(reason), .first = first});
  claims_.drop();
  admissions_.drop();
  options_.names->send(addresses::synthesizer, drop_requests{options_.id, true});
  if (calls_.out() > 0)
    after(self_, hearing, hearing_over{});
  search_is_over();
}

void campaign_router::heard_enough() {
  if (!phase_.has_lasted(campaign_phase::settling, hearing, journal_.now()))
    return;
  store_batch batch;
  calls_.give_up_all(batch);
  journal_.commit(std::move(batch));
  search_is_over();
}

void campaign_router::search_is_over() {
  if (calls_.out() > 0)
    return;
  store_batch batch;
  cancel_open_nodes(batch, phase_.ending().reason);
  journal_.commit(std::move(batch));
  if (phase_.ending().first == last_measurements::none)
    return conclude();
  enter(campaign_phase::claiming);
  claim_next();
}

void campaign_router::cancel_open_nodes(store_batch& batch, const std::string& reason) {
  for (const auto& tree : journal_.trees())
    for (auto n : tree.open_nodes()) {
      auto key = journal_.key(tree.number(), n);
      options_.names->send(addresses::evaluator, cancel_evaluation{key});
      journal_.record(batch, journal_kind::ended,
                      journal_ended{tree.number(), n, node_state::cancelled, reason});
      rows_.cancelled(batch, key, reason);
      options_.names->send(addresses::node_supervisor(options_.id, key.tree),
                           evaluation_failed{key, node_state::cancelled, reason});
    }
}

void campaign_router::claim_next() {
  if (claims_.is_out())
    return;
  if (phase_.ending().first == last_measurements::finalists) {
    if (dispatch_.go_on())
      return;
    auto next = next_finalist(journal_.fold());
    // A goal that is reached asks for no other finalist than a dispatcher, which comes first.
    if (next && (phase_.ending().reason != "target" ||
                 is_dispatcher(journal_.tree(next->first).tree()[next->second])))
      return claims_.begin(*next);
  }
  if (!claims_.validate())
    conclude();
}

void campaign_router::conclude() {
  if (begin_learning())
    enter(campaign_phase::learning);
  else
    finish();
}

void campaign_router::learnt() {
  if (phase_.is(campaign_phase::learning))
    finish();
}

void campaign_router::finish() {
  auto reason = phase_.ending().reason;
  store_batch batch;
  journal_.record(batch, journal_kind::finished, journal_finished{reason});
  journal_.put_campaign(batch, "finished", reason);
  enter(campaign_phase::ended);
  tell_wanted(true);
  auto line = journal_.event(
      "stop", {{"reason", reason}, {"state", "finished"}, {"proven", proven() ? "true" : "false"}});
  journal_.commit(
      std::move(batch), std::move(line),
      [tell = options_.ended, out = campaign_outcome{"finished", reason, proven(), {}}] { tell(out); });
  journal_.image_at_end();
}

// -- for this session -------------------------------------------------------------------------------

void campaign_router::interrupted() {
  if (phase_.is(campaign_phase::pausing))
    return end_session(phase_.ending());
  // Waiting for a device, it was paused already (product.md, exit code 5).
  const auto& waits = devices_.none_left();
  pause("paused", "interrupted",
        waits.empty()
            ? failure{}
            : failure{failure_kind::device, "stopped while it waited for a device: " + waits, true});
}

void campaign_router::pause(std::string state, std::string reason, failure why) {
  if (phase_.is(campaign_phase::pausing) || phase_.is(campaign_phase::ended))
    return;
  if (why.kind != failure_kind::none)
    journal_.pause_reason(why.text);
  session_ending ending{.state = std::move(state), .reason = std::move(reason), .why = std::move(why)};
  if (phase_.is(campaign_phase::loading))
    return end_session(std::move(ending));
  ending.proven = proven();
  claims_.drop();
  admissions_.drop();
  options_.names->send(addresses::synthesizer, drop_requests{options_.id, false});
  if (!phase_.is(campaign_phase::running))
    return end_session(std::move(ending));
  enter(campaign_phase::pausing, std::move(ending));
  after(self_, options_.grace, grace_is_over{});
  pump();
}

void campaign_router::pause_is_over() {
  std::size_t evaluating = 0;
  for (const auto& tree : journal_.trees())
    evaluating += in_evaluation(tree.tree());
  auto judges = devices_.none_left().empty(); // else nobody will measure them
  if ((evaluating == 0 || !judges) && calls_.out() == 0)
    end_session(phase_.ending());
}

void campaign_router::grace_over() {
  if (phase_.has_lasted(campaign_phase::pausing, options_.grace, journal_.now()))
    end_session(phase_.ending());
}

void campaign_router::end_session(session_ending ending) {
  enter(campaign_phase::ended, ending);
  auto failed = ending.why.kind != failure_kind::none;
  auto line = event_json("stop", phase_.has_run() ? journal_.settings().name : options_.settings.name,
                         {{"reason", ending.reason},
                          {"state", ending.state},
                          {"proven", ending.proven ? "true" : "false"},
                          {"failure", failed ? std::string{to_text(ending.why.kind)} : std::string{}},
                          {"text", ending.why.text}});
  // The session ends whether or not this can be committed, but after all that was told before.
  auto tell = [publish = options_.publish, line](const status&) {
    if (publish)
      publish(line);
  };
  if (phase_.has_run()) {
    store_batch batch;
    journal_.put_campaign(batch, ending.state, ending.reason);
    options_.store->write(std::move(batch), tell);
    journal_.image_at_end();
  } else {
    tell(ok);
  }
  options_.ended({ending.state, ending.reason, ending.proven, ending.why});
}

} // namespace ke
