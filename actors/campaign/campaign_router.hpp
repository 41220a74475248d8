#pragma once

#include "actors/campaign/admissions.hpp"
#include "actors/campaign/campaign_actor.hpp"
#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/campaign_resume.hpp"
#include "actors/campaign/claims_round.hpp"
#include "actors/campaign/dispatch_round.hpp"
#include "actors/campaign/node_rows.hpp"
#include "actors/campaign/paid_calls.hpp"
#include "actors/campaign/solutions_left.hpp"
#include "actors/campaign/target_devices.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/search/campaign/campaign_phase.hpp"
#include "runtime/search/campaign/step_loop.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ke {

struct repeated_answer;

struct campaign_loaded {
  std::shared_ptr<stored_campaign> stored; ///< null: `why`
  failure why;
};
struct campaign_tick {};
struct grace_is_over {};
struct hearing_over {};
struct lineage_learnt {};

/// The campaign actor's state: hands each message to the parts that it concerns, in the order in which their
/// records must follow. What a part knows is in that part; here are the phase and the ways between them.
/// In files:
///   campaign_router.cpp    what nodes, workers and people say
///   campaign_work.cpp      beginning candidates, waking nodes, news for people
///   campaign_ending.cpp    from phase to phase; the drawing is in campaign_phase.hpp
///   campaign_learning.cpp  skills
class campaign_router {
public:
  campaign_router(caf::event_based_actor* self, campaign_options options);
  campaign_router(const campaign_router&) = delete; // the parts refer to each other

  // -- messages -----------------------------------------------------------------------------------

  void loaded(campaign_loaded& l);
  void capacity_is(const capacity& c);
  void prompt(prompt_ready& p);
  void agent_wants(agent_call& c);
  void agent_answered(const synthesis& s);
  void answer(const answered& a);
  void given(const given_answer& a);
  void failed(const failed_try& f);
  void stage(const stage_changed& s);
  void again(const measured_again& m);
  void judge(judged& j);
  void evaluation_failed_for(const evaluation_failed& f);
  void crashed(const node_crashed& c);
  void context_wanted(const want_context& w);
  void tree_began(const tree_started& t);
  void steered(const steer& s);
  void status_wanted(const status_request& s);
  void tick();
  void interrupted();
  void grace_over();
  void heard_enough();
  void learnt();
  void finalist(const finalist_read& f);
  void shapes(const shapes_read& s);
  void parts(const parts_read& p);
  void looked_up(const admission_looked_up& l);

private:
  // -- answers and verdicts -----------------------------------------------------------------------

  void unusable(store_batch batch, const answered& a);
  void repeats(store_batch batch, const answered& a, const repeated_answer& what);
  /// To the node, if it waits for this.
  void tell_heard(const answered& a, const std::string& repeats);
  /// The record of its candidate is in the batch: its row follows, and both are committed.
  void has_source(store_batch batch, const node_key& n, const journal_replied& r);
  void call_blocked(const failed_try& f, const paid_call& call);
  /// The end of a sub-agent's call is journalled.
  void agent_ended(const paid_call& call, agent_answer answer);
  void candidate_judged(judged& j);
  void forget_foreign_duplicate(judged& j) const;
  journal_judged record_of(const judged& j, std::uint32_t duplicate_of) const;
  /// A verdict that nobody waits for: kept as an observation, and the worker may forget it.
  void keep_late(judged& j);
  void finish_node(store_batch batch, const node_key& n, node_state state, const std::string& why);
  /// The node has just ended in the fold: writes the rows and tells the news.
  void close_node(store_batch batch, const node_key& n, std::function<void()> then);
  status check(const steer& s) const;
  status record_act(store_batch& batch, const steer& s);

  // -- work ---------------------------------------------------------------------------------------

  /// Begins the session on a folded journal. `changed`: the settings are others now.
  void begin(bool changed);
  bool may_begin() const { return phase_.is(campaign_phase::running) && !journal_.books().paused(); }
  void pay();
  /// After each message that may have changed what can be done next.
  void pump();
  void begin_candidates();
  void step(search_tree& tree, std::uint32_t slots);
  void wake(const std::vector<node_key>& nodes);
  /// Wakes one tree's sleeping nodes once its devices' facts are known, which prompts tell.
  void wake_sleeping(std::uint32_t tree);
  /// Tells the fleet which evaluations of an earlier life are still wanted.
  void tell_wanted(bool over);
  /// Sets models aside that gave nothing; with the last one the session pauses.
  void look_at_fruitless(const failure& last);
  /// The provider of a candidates' model refuses all: only a person can mend that.
  void refused_by_provider(const failure& why);
  /// A refused tree is left out while another one is, or may be, admitted; else the campaign has failed.
  void fail_if_all_refused();
  status_facts facts_of_status() const;

  // -- from phase to phase ------------------------------------------------------------------------

  void enter(campaign_phase next, std::optional<session_ending> why = {}) {
    phase_.enter(next, journal_.now(), std::move(why));
  }
  std::optional<std::string> stop_reason() const;
  bool proven() const;
  /// running, pausing or claiming -> settling. `first`: what is measured before the campaign is over.
  void stop_search(std::string reason, last_measurements first);
  /// settling -> claiming, learning or ended, once all calls are heard.
  void search_is_over();
  void cancel_open_nodes(store_batch& batch, const std::string& reason);
  /// Makes the next claim; claiming -> learning or ended if there is none.
  void claim_next();
  /// -> learning, or ended if there is nothing to learn.
  void conclude();
  bool begin_learning();
  /// -> ended: the campaign is over.
  void finish();
  /// running -> pausing; a later phase -> ended.
  void pause(std::string state, std::string reason, failure why);
  /// pausing -> ended, once nothing is in flight.
  void pause_is_over();
  /// -> ended: the session is over, the campaign is not. Told at once: on a full disk the commit may take
  /// longer than a person would wait.
  void end_session(session_ending why);

  void tell_use(const node_key& n, const node_row& row, double noise);

  caf::event_based_actor* self_;
  campaign_options options_;
  phase_machine phase_;
  campaign_journal journal_;
  node_rows rows_;
  target_devices devices_;
  paid_calls calls_;
  campaign_resume resume_;
  step_loop steps_;
  admissions admissions_;
  solutions_left solutions_;
  claims_round claims_;
  dispatch_round dispatch_;
  machine_weather machine_;
};

} // namespace ke

KE_MESSAGE(ke::campaign_loaded)
KE_MESSAGE(ke::campaign_tick)
KE_MESSAGE(ke::grace_is_over)
KE_MESSAGE(ke::hearing_over)
KE_MESSAGE(ke::lineage_learnt)
KE_MESSAGE(ke::admission_looked_up)
KE_MESSAGE(ke::finalist_read)
KE_MESSAGE(ke::shapes_read)
KE_MESSAGE(ke::parts_read)
