#pragma once

#include "actors/campaign/campaign_actor.hpp"
#include "actors/campaign/target_devices.hpp"
#include "backends/verdict/dispatch_plan.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/search/campaign/claim_book.hpp"

#include <deque>
#include <optional>
#include <set>
#include <stdexcept>

namespace ke {

struct campaign_loaded {
  std::shared_ptr<stored_campaign> stored; ///< null: `why`
  failure why;
};
struct campaign_tick {};
struct grace_is_over {};
struct hearing_over {};
struct lineage_learnt {};
/// The answer of the store: whether the problem was admitted before on this target.
struct admission_looked_up {
  std::uint32_t tree = 0, target = 0;
  bool found = false;
};
struct finalist_read {
  node_key node;
  std::shared_ptr<const std::string> source; ///< null: `why`
  failure why;
  std::vector<std::string> devices; ///< by target: device of the search's verdict
  std::set<std::string> workers;    ///< of the search's verdicts
};

/// Verdicts in the store of candidates that a tree's dispatcher may be put together from.
struct shapes_read {
  std::uint32_t tree = 0;
  bool exact = false; ///< for the shapes of the workloads alone
  std::shared_ptr<const std::vector<shape_contender>> contenders;
  std::shared_ptr<const std::map<std::uint32_t, std::string>> sources; ///< digests, by node
};
/// The sources that a dispatcher is put together from.
struct parts_read {
  std::uint32_t tree = 0;
  bool exact = false;
  std::shared_ptr<const std::vector<dispatch_choice>> choices;
  std::shared_ptr<const std::map<std::uint32_t, std::string>> sources; ///< by node
};

/// A mean that follows changes: a new value weighs a tenth, the first ones more.
class moving_mean {
public:
  void add(double x) { mean_ += (x - mean_) / std::min(++count_, 10.0); }
  double value() const { return mean_; }

private:
  double mean_ = 0, count_ = 0;
};

/// The campaign actor's state: what each message does. In files:
///   campaign_keeper.cpp      answers, verdicts, steering
///   campaign_resume.cpp      taking up what the store holds, waking nodes
///   campaign_steps.cpp       money, the step loop, the end
///   campaign_devices.cpp     targets without a device
///   campaign_admission.cpp   the reference is judged before a model is paid
///   campaign_agents.cpp      sub-agents' calls
///   campaign_dispatch.cpp    one candidate out of several, by shapes
///   campaign_claims.cpp      finalists are measured again; what is left for later campaigns
///   campaign_learning.cpp    skills
class keeper {
public:
  keeper(caf::event_based_actor* self, campaign_options options);

  void loaded(campaign_loaded& l);
  void capacity_is(const capacity& c);
  void prompt(prompt_ready& p);
  void agent_wants(agent_call& c);
  void agent_answered(const synthesis& s);
  void answer(const answered& a);
  void learnt();
  void given(const given_answer& a);
  void failed(const failed_try& f);
  void stage(const stage_changed& s);
  void judge(judged& j);
  void evaluation_failed_for(const evaluation_failed& f);
  void crashed(const node_crashed& c);
  void brief_wanted(const want_brief& w);
  void tree_began(const tree_started& t);
  void steered(const steer& s);
  void status_wanted(const status_request& s);
  void tick();
  void interrupted();
  void grace_over();
  void heard_enough();
  void finalist(const finalist_read& f);
  void shapes(const shapes_read& s);
  void parts(const parts_read& p);
  void looked_up(const admission_looked_up& l);

private:
  campaign_state& books() { return fold_.books(); }
  search_tree& core(std::uint32_t t) { return fold_.trees().at(t); }
  /// Of a tree's candidates.
  const std::shared_ptr<const candidate_language>& language_of(std::uint32_t tree) {
    return options_.languages.at(core(tree).backend());
  }
  std::string id(const node_key& n) const {
    return std::to_string(public_id(fold_.trees().size(), n.tree, n.node));
  }
  node_state state_of_node(const node_key& n);
  bool is_judged(const node_key& first, const node_key& n);
  std::uint64_t wall_ms() const;
  const model_settings& model(const std::string& name);
  std::string call_name(const node_key& node, std::uint32_t attempt, const std::string& prompt_digest) const;
  /// Applies to the fold, then queues for the store, in one order.
  template <class Record>
  void record(store_batch& batch, journal_kind kind, const Record& r) {
    books().wall(wall_ms());
    if (auto done = fold_.apply(r); !done)
      throw std::runtime_error{done.error().text};
    journal(batch, kind, r);
  }
  /// For what the fold has already taken.
  template <class Record>
  void journal(store_batch& batch, journal_kind kind, const Record& r) {
    last_ = {kind, wall_ms(), options_.unix_ms(), pack(r)};
    ++records_;
    batch.journal.emplace_back(options_.id, last_);
  }
  void commit(store_batch batch, std::string line = {}, std::function<void()> then = {});
  std::string event(const char* kind,
                    std::initializer_list<std::pair<const char*, std::string>> fields) const;
  std::string books_name() const { return fold_.books().settings().name; }

  void put_node(store_batch& batch, const node_key& n);
  /// Leaves solutions for later campaigns (runtime/core/solution.hpp): each new best of a target, and each
  /// claim.
  void leave_solution(store_batch& batch, const judged& j, bool claimed);
  void put_campaign(store_batch& batch, const std::string& state, const std::string& reason);

  // -- nodes --------------------------------------------------------------------------------------

  void finish_node(store_batch& batch, const node_key& n, node_state state, const std::string& why);
  /// The node has just ended in the fold: writes the rows and tells the news.
  void close_node(store_batch& batch, const node_key& n, std::function<void()> then);
  void trace_node(const node_key& n, const node_row& row) const;
  node_context brief_of(const node_key& n, const std::shared_ptr<const std::vector<std::string>>& tried);
  static bool is_below(const tree_index& index, std::uint32_t node, std::uint32_t ancestor);
  void wake(const std::vector<node_key>& nodes);
  /// Only the playbook reads the whole list; a model would pay for noise.
  bool playbook_plays();
  bool may_repair(const std::string& model);
  /// After a restart: takes up answers stored but not folded, waits for this process's open calls, charges
  /// those of another process, and puts all open nodes to sleep.
  void resume_nodes();
  /// Tells the fleet which evaluations of an earlier life are still wanted.
  void tell_wanted(bool over);
  std::shared_ptr<synthesis_request> same_request(const node_key& n, const open_call& call);
  void settle_unheard(store_batch& batch, const node_key& n, const open_call& call);
  completion read_stored(const std::string& model_name, std::string body, std::uint64_t prompt_bytes,
                         std::optional<bool> cancelled_sent);
  /// Wakes one tree's sleeping nodes once its devices' facts are known, which prompts tell.
  void wake_sleeping(std::uint32_t tree);

  // -- money --------------------------------------------------------------------------------------

  /// Sends prompts on while the budget holds their worst case. The intent is committed before the request
  /// leaves.
  void pay();
  /// Files the call as out; it is asked once `batch` is committed.
  void send_call(store_batch batch, std::shared_ptr<const synthesis_request> request);
  /// Whether calls to this model are free when nobody heard their end.
  bool costs_nothing(const std::string& model_name);
  /// The charge of a call, from told usage and the campaign's estimates for this model.
  call_charge charge(const std::string& model_name, const token_usage& told, const call_meter& meter);
  /// The charge of a call whose end nobody heard.
  call_charge unheard(const node_key& n, std::uint32_t attempt, const std::string& prompt_digest,
                      const std::string& model_name, const reservation& reserved);
  void try_failed(const failed_try& f, const open_call& call);
  /// Commits the cost of a try; whether another one may follow.
  bool allow_retry(store_batch& batch, const failed_try& f, const std::string& model_name);
  /// Sets models aside that gave nothing; with the last one the session ends, resumably.
  void look_at_fruitless(const failure& last);
  /// Redirects a prompt for a model set aside to another one.
  void divert(synthesis_request& request);

  // -- the step loop ------------------------------------------------------------------------------

  void look_for_goal();
  void pump();
  void step(search_tree& tree, std::uint32_t slots);
  std::size_t in_evaluation();
  bool is_out(const node_key& n, std::uint32_t attempt) {
    return n.tree < fold_.trees().size() && core(n.tree).call(n.node, attempt);
  }
  std::size_t calls_out() { return fold_.open_calls().size() + books().agent_calls_out().size(); }

  // -- sub-agents' calls --------------------------------------------------------------------------

  void agent_failed(const failed_try& f);
  /// Nobody will hear the answer: no charge if `free`, else an estimate, because it may have been answered.
  void give_up_agent_call(store_batch& batch, const journal_agent_asked& c, bool free);
  void settle_agent_call(const journal_agent_replied& r, agent_answer answer);
  /// Settles sub-agent calls left open by an earlier session: free if they never left, else at an estimate.
  void settle_lost_agent_calls(store_batch& batch);

  std::optional<std::string> stop_reason();
  bool proven();
  /// The end by a person, or by a rule when no claim is left. Cancels what is in flight; afterwards the
  /// campaign can only be looked at.
  void finish(std::string reason);
  /// Ends the search. Cancels what is out and waits a moment for it: the provider knows the cost. `claims`:
  /// measures finalists again before the campaign is over.
  void end_search(std::string reason, bool claims);
  void search_ended();
  void settle_calls_out(store_batch& batch);
  void wind_down(store_batch& batch, const std::string& reason);
  void conclude(std::string reason);

  // -- claims -------------------------------------------------------------------------------------

  void close(std::string reason);
  void go_on_closing();
  void begin_claim(tree_node who);
  std::string device_for_claim(const std::string& backend, const std::string& pattern,
                               const std::string& device) const;
  void claim_judged(judged& j);
  void claim_failed(const node_key& n, const std::string& why);
  void claim_recorded(store_batch batch, const node_key& n, std::function<void()> then);
  /// The next session makes it anew.
  void drop_claim();

  // -- dispatchers --------------------------------------------------------------------------------

  /// After the search, if one candidate is the best on one workload and another one on another, or the best
  /// lies below the floor: puts a node together from several and has it judged. If a claim lies below the
  /// floor (held-out workloads count), makes another one, which uses kernels only for the other workloads'
  /// exact shapes. True until they are judged.
  bool dispatching();
  bool may_dispatch(const search_tree& tree, std::ptrdiff_t workloads) const;
  /// Whether the problem has several workloads and a tree that may have a dispatcher.
  bool may_dispatch() const;
  bool below_floor_by_claim(const search_tree& tree) const;
  void read_shapes(const search_tree& tree, bool exact);
  void add_dispatcher(const parts_read& p);
  void interrupt_now(std::string state, std::string reason, failure why);
  /// The provider of a candidates' model refuses all: only a person can mend that.
  void refused_by_provider(const failure& why);
  /// Ends this session, not the campaign. Told at once: on a full disk the commit may take longer than a
  /// person would wait.
  void end(campaign_outcome out);
  void has_source(store_batch batch, const node_key& n, const journal_replied& r);
  bool begin_learning(const std::string& reason);
  void tell_use(const node_key& n, const node_row& row, double noise);
  void publish_progress();
  /// Makes an image of the present fold, kept once everything before it is committed.
  void make_image();
  void keep_late(judged& j);
  status_facts facts_of_status() const;

  // -- devices ------------------------------------------------------------------------------------

  /// Tells people which targets wait for a device. If no tree has a device, the campaign waits for one.
  void look_for_devices();
  std::vector<std::string> targets_of(const std::string& backend) const; ///< patterns, in order
  /// Targets of the backend without a fitting device in service: its tree waits for all of them.
  std::vector<std::string> missing_targets(const std::string& backend) const;
  std::uint32_t slots_of(const std::string& backend) const; ///< 0 while a target is missing
  std::string why_missing(const std::string& backend) const;

  // -- admission ----------------------------------------------------------------------------------

  /// What is known about whether one tree's candidates can be judged.
  struct admission {
    enum class progress { unknown, looking, measuring, resting, refused, admitted } at = progress::unknown;
    std::vector<bool> known;                           ///< by target: the store says so
    std::size_t asked = 0;                             ///< look-ups that are out
    std::vector<std::shared_ptr<const verdict>> found; ///< of this try, by target
    std::shared_ptr<const evaluate_request> request;
    unsigned tries = 0, rests = 0;
    std::chrono::steady_clock::time_point rest_until{};
    std::string why; ///< resting, refused
  };
  /// Whether models may be asked for this tree; finds out if unknown.
  bool is_admitted(const search_tree& tree);
  void look_up_admission(const search_tree& tree, admission& a);
  void measure_reference(const search_tree& tree, admission& a);
  void reference_judged(judged& j);
  void reference_failed(const evaluation_failed& f);
  void decide_admission(const search_tree& tree, admission& a);
  void admit(const search_tree& tree, admission& a);
  void rest(const search_tree& tree, admission& a, const std::string& why);
  void refuse(const search_tree& tree, admission& a, std::string why);
  /// A refused tree is left out while another one is, or may be, admitted; else the campaign has failed.
  void fail_if_all_refused();
  void drop_admissions();

  struct late_reply { ///< stored before a crash, not yet folded
    node_key node;
    open_call call;
    std::string body;
  };

  caf::event_based_actor* self_;
  campaign_options options_;
  std::shared_ptr<call_book> calls_ = options_.calls;
  std::shared_ptr<stored_campaign> stored_;
  campaign_fold fold_;
  std::uint64_t records_ = 0, imaged_ = 0; ///< of the journal: all; in the newest image
  journal_record last_;                    ///< the newest one of this session
  std::map<node_key, node_row> rows_;      ///< of open nodes
  std::map<node_key, int> crashes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> left_; ///< best score left, by tree and target
  std::map<std::string, capacity> capacity_;
  std::map<std::string, std::uint32_t> slots_; ///< of these, for the targets; by backend
  std::map<std::string, std::shared_ptr<const device_info>> facts_;
  /// Prompts whose worst case the budget can't hold yet.
  std::deque<std::shared_ptr<synthesis_request>> unpaid_;
  /// Open calls in the journal that have cost nothing and must be made again.
  std::vector<std::shared_ptr<synthesis_request>> resend_;
  std::set<std::string> known_aside_; ///< models set aside, told to people
  std::string pause_reason_;
  std::vector<node_key> sleeping_; ///< open nodes of an earlier session, until a worker is there
  std::vector<late_reply> redeliver_;
  std::vector<node_key> blocked_;
  std::map<std::uint32_t, weak_actor> agents_; ///< who waits for a sub-agent's call, by number
  std::optional<failure> blocked_why_;
  std::optional<std::pair<std::string, bool>> ending_; ///< end_search, while it waits
  std::optional<std::string> closing_;  ///< the search is over, for this reason; claims are being made
  std::optional<std::string> learning_; ///< finished for this reason, once its skills are kept
  bool learnt_ = false;
  std::optional<node_key> claims_out_; ///< the finalist being measured again
  /// (Claims and correct nodes, target) at the last look_for_goal() without success; skip until either
  /// changes.
  std::optional<std::pair<std::size_t, double>> no_goal_at_;
  std::shared_ptr<const evaluate_request> claim_request_;
  unsigned claim_tries_ = 0;
  bool dispatch_begun_ = false;
  std::set<std::uint32_t> dispatched_exactly_; ///< trees
  std::size_t dispatch_reads_ = 0;             ///< trees whose evidence or sources are being read
  std::string no_device_;                      ///< why it waits for a device; empty: it does not
  bool lost_device_ = false;                   ///< one was there before
  std::set<std::pair<std::string, std::string>> told_missing_; ///< backend and pattern
  std::map<std::uint32_t, admission> admissions_;              ///< by tree
  moving_mean latency_, evaluation_;
  std::uint64_t wall_base_ = 0;
  std::chrono::steady_clock::time_point begun_{};
  bool loaded_ = false, interrupted_ = false, ended_ = false;
  campaign_outcome outcome_;
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
