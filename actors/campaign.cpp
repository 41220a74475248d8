#include "actors/campaign.hpp"

#include "actors/campaign_status.hpp"
#include "actors/fleet_messages.hpp"
#include "actors/synthesizer.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/counters.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/log.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/search/credit.hpp"

#include <deque>

namespace ke {

struct campaign_loaded {
  std::shared_ptr<stored_campaign> stored; ///< null: `why`
  failure why;
};
struct campaign_tick {};
struct grace_is_over {};

} // namespace ke

KE_MESSAGE(ke::campaign_loaded)
KE_MESSAGE(ke::campaign_tick)
KE_MESSAGE(ke::grace_is_over)

namespace ke {

std::vector<std::string> trees_of(const campaign_settings& settings) {
  std::vector<std::string> trees;
  for (const auto& t : settings.targets)
    if (std::find(trees.begin(), trees.end(), t.backend) == trees.end())
      trees.push_back(t.backend);
  return trees;
}

namespace {

using seconds = std::chrono::duration<double>;
constexpr std::chrono::milliseconds tick_every{500};
constexpr std::size_t most_ancestors = 8, most_siblings = 12, most_tried_shown = 64;

/// A mean that follows changes: each value counts a tenth, the first ones more.
class moving_mean {
public:
  void add(double x) { mean_ += (x - mean_) / std::min(++count_, 10.0); }
  double value() const { return mean_; }

private:
  double mean_ = 0, count_ = 0;
};

class keeper {
public:
  keeper(caf::event_based_actor* self, campaign_options options) : self_{self}, options_{std::move(options)} {
    auto me = weak(self_);
    options_.load([me](result<std::shared_ptr<stored_campaign>> stored) {
      send_weak(me, stored ? campaign_loaded{*stored, {}} : campaign_loaded{nullptr, stored.error()});
    });
  }

  void loaded(campaign_loaded& l) {
    if (!l.stored)
      return end({"failed", "", false, l.why});
    stored_ = std::move(l.stored);
    fold_ = std::move(stored_->fold);
    rows_ = std::move(stored_->rows);
    wall_base_ = stored_->wall_ms;
    begun_ = self_->clock().now();
    auto changed = !(options_.settings == books().settings());
    if (!books().finished_reason().empty() && !changed) { // nothing to do, unless new settings reopen it
      ended_ = true;
      return options_.ended({"finished", books().finished_reason(), proven(), {}});
    }
    loaded_ = true;
    options_.names->send("fleet", watch_capacity{campaign_name(options_.id)});
    store_batch batch;
    record(batch, journal_kind::session, journal_session{options_.epoch});
    if (changed) {
      journal_configured now{options_.settings, books().problem_digest(), trees_of(options_.settings), KE_VERSION};
      if (auto done = fold_.apply(now); !done) {
        loaded_ = false;
        return end({"failed", "", false, done.error()});
      }
      batch.journal.emplace_back(options_.id, journal_record{journal_kind::configured, wall_ms(), options_.unix_ms(), pack(now)});
    }
    put_campaign(batch, "running", "");
    commit(std::move(batch), event("campaign", {{"state", "running"}, {"nodes", std::to_string(fold_.states().size())}}));
    resume_nodes();
    tick();
  }

  void capacity_is(const capacity& c) {
    auto& mine = capacity_[c.backend];
    mine = c;
    pump();
  }

  void prompt(prompt_ready& p) {
    auto& request = *p.request;
    if (!loaded_ || ended_ || !is_open(state_of_node(request.node)))
      return;
    request.reserved = worst_case(model(request.model), bytes_of(request.prompt));
    unpaid_.push_back(std::move(p.request));
    pay();
  }

  void answer(const answered& a) {
    if (!loaded_ || ended_)
      return;
    auto t = a.node.tree, n = a.node.node;
    if (!is_open(state_of_node(a.node)))
      return;
    calls_->close(call_name(a.node, a.attempt));
    latency_.add(a.seconds);
    auto& row = rows_[a.node];
    store_batch batch;
    journal_replied r{t, n, a.attempt, a.why.kind, a.reply_digest, {}, {}, a.usage, false};
    if (a.why.kind == failure_kind::none) {
      r.source_digest = batch.blob(a.source);
      r.normalised_digest = source_digest(a.source);
    } else if (!a.source.empty()) {
      batch.blob(a.source); // refused, but paid for: kept
    }
    record(batch, journal_kind::replied, r);
    row.reply_digest = a.reply_digest;
    row.source_digest = r.source_digest;
    row.note = a.plan;
    row.answered_ms = wall_ms();
    row.usage = a.usage;
    if (a.why.kind == failure_kind::none) {
      if (auto first = core(t).first_with(r.normalised_digest); first && *first != n)
        row.duplicate_of = *first;
      row.state = node_state::answered;
      put_node(batch, a.node);
      commit(std::move(batch));
    } else {
      log::info("campaign", "answer not usable",
                {{"node", id(a.node)}, {"kind", std::string{to_text(a.why.kind)}}, {"why", a.why.text}});
      row.note = std::string{to_text(a.why.kind)} + ": " + a.why.text;
      finish_node(batch, a.node, node_state::unanswered, row.note);
    }
    pay();
    pump();
  }

  void failed(const failed_try& f) {
    if (!loaded_ || ended_)
      return;
    store_batch batch;
    if (f.why.kind != failure_kind::none && !f.blocked)
      record(batch, journal_kind::failed_request, journal_failed_request{f.node.tree, f.node.node, f.attempt, f.why.kind, f.why.text});
    if (f.blocked) {
      // Never sent, or refused before anything was billed: its reservation returns, and the node is asked again after a resume.
      record(batch, journal_kind::replied,
             journal_replied{f.node.tree, f.node.node, f.attempt, f.why.kind == failure_kind::none ? failure_kind::cancelled : f.why.kind, {}, {}, {},
                             {}, false});
      calls_->close(call_name(f.node, f.attempt));
      blocked_.push_back(f.node);
    }
    commit(std::move(batch));
    if (f.blocked && f.why.kind != failure_kind::none && !blocked_why_) {
      blocked_why_ = f.why;
      log::error("campaign", "paused: the model's provider refuses", {{"why", f.why.text}});
      interrupt_now("paused", "interrupted", f.why);
    }
  }

  void stage(const stage_changed& s) {
    if (loaded_ && !ended_ && s.node.tree < fold_.trees().size() && fold_.trees()[s.node.tree].progress(s.node.node, s.stage))
      rows_[s.node].state = s.stage;
  }

  void judge(judged& j) {
    if (!loaded_ || ended_ || !is_open(state_of_node(j.node))) {
      // Late, or of a node that was cancelled: kept as an observation, and the worker may forget it.
      if (j.batch)
        options_.store->write(std::move(*j.batch), [done = j.committed](status) { done ? done() : void(); });
      else if (j.committed)
        j.committed();
      return;
    }
    const auto& v = *j.found;
    auto& row = rows_[j.node];
    auto batch = j.batch ? std::move(*j.batch) : store_batch{};
    if (!j.duplicate && j.device_s > 0)
      evaluation_.add(j.device_s);
    journal_judged r{j.node.tree, j.node.node, j.target, v.state, v.decision, v.score, j.verdict_digest, j.duplicate ? 0 : j.device_s,
                     j.duplicate ? row.duplicate_of : no_node};
    record(batch, journal_kind::judged, r);
    auto targets = core(j.node.tree).tree().targets();
    row.scores.resize(targets);
    row.verdict_digests.resize(targets);
    row.scores[j.target] = v.score;
    row.verdict_digests[j.target] = j.verdict_digest;
    row.device_s += r.device_s;
    row.judged_ms = wall_ms();
    row.decision = v.decision;
    j.batch = nullptr;
    auto committed = std::exchange(j.committed, nullptr);
    auto node = j.node;
    options_.names->send(tree_name(options_.id, node.tree), std::move(j));
    if (is_open(state_of_node(node))) {
      put_node(batch, node);
      commit(std::move(batch), {}, committed);
    } else {
      close_node(batch, node, committed);
    }
    pump();
  }

  void evaluation_failed_for(const evaluation_failed& f) {
    if (!loaded_ || ended_ || !is_open(state_of_node(f.node)))
      return;
    store_batch batch;
    finish_node(batch, f.node, f.state, f.why);
    options_.names->send(tree_name(options_.id, f.node.tree), f);
    pump();
  }

  void crashed(const node_crashed& c) {
    if (!loaded_ || ended_ || !is_open(state_of_node(c.node)))
      return;
    log::warn("campaign", "a node's actor crashed", {{"node", id(c.node)}, {"why", c.why}});
    if (++crashes_[c.node] < 2)
      return wake({c.node});
    store_batch batch;
    finish_node(batch, c.node, node_state::poisoned, c.why);
    pump();
  }

  void brief_wanted(const want_brief& w) {
    if (loaded_ && !ended_ && is_open(state_of_node({options_.id, w.tree, w.node})))
      wake({{options_.id, w.tree, w.node}});
  }

  void steered(const steer& s) {
    if (!loaded_ || ended_)
      return s.done(failure{failure_kind::invalid, "the campaign is not running"});
    store_batch batch;
    if (s.act == "set") {
      if (!options_.override)
        return s.done(failure{failure_kind::invalid, "settings can't be changed here"});
      auto changed = options_.override(books().settings(), s.key, s.value);
      if (!changed)
        return s.done(changed.error());
      record(batch, journal_kind::steered, journal_steered{s.act, s.key, s.value});
      record(batch, journal_kind::configured, journal_configured{*changed, books().problem_digest(), books().backends(), KE_VERSION});
    } else {
      record(batch, journal_kind::steered, journal_steered{s.act, s.key, s.value});
    }
    put_campaign(batch, books().paused() ? "paused" : "running", "");
    commit(std::move(batch), event("steered", {{"act", s.act}}), [done = s.done] { done(ok); });
    if (s.act == "resume") {
      blocked_why_.reset();
      options_.names->send("synthesizer", unblock_models{});
      wake(std::exchange(blocked_, {}));
    }
    if (s.act == "stop")
      return finish("stopped");
    pump();
  }

  void status_wanted(const status_request& s) {
    if (!loaded_)
      return s.done("null");
    books().wall(wall_ms());
    auto row = fold_.row(options_.id);
    if (interrupted_ && !ended_)
      row.state = "paused";
    s.done(campaign_status_json(row, books().settings(), {.live = true, .in_flight = books().in_flight()}));
  }

  void tick() {
    if (ended_)
      return;
    after(self_, tick_every, campaign_tick{});
    if (!loaded_)
      return;
    books().wall(wall_ms());
    publish_progress();
    pump();
  }

  void interrupted() {
    if (interrupted_)
      return end({"paused", "interrupted", proven(), {}});
    interrupt_now("paused", "interrupted", {});
  }

  void grace_over() {
    if (interrupted_ && !ended_)
      end(outcome_);
  }

private:
  campaign_books& books() { return fold_.books(); }
  tree_core& core(std::uint32_t t) { return fold_.trees().at(t); }
  std::string id(const node_key& n) const { return std::to_string(public_id(fold_.trees().size(), n.tree, n.node)); }
  node_state state_of_node(const node_key& n) {
    return n.tree < fold_.trees().size() && n.node < core(n.tree).tree().size() ? core(n.tree).tree()[n.node].state : node_state::cancelled;
  }
  std::uint64_t wall_ms() const {
    return wall_base_ +
           static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - begun_).count());
  }
  const model_settings& model(const std::string& name) {
    for (const auto& m : books().settings().models)
      if (m.name == name)
        return m;
    throw std::runtime_error{"no [[model]] is named " + name};
  }
  static std::string call_name(const node_key& node, std::uint32_t attempt) {
    synthesis_request r;
    r.node = node;
    r.attempt = attempt;
    return r.call();
  }

  /// Applies to the fold, then queues for the store: one order for both.
  template <class Record>
  void record(store_batch& batch, journal_kind kind, const Record& r) {
    books().wall(wall_ms());
    if (auto done = fold_.apply(r); !done)
      throw std::runtime_error{done.error().text};
    batch.journal.emplace_back(options_.id, journal_record{kind, wall_ms(), options_.unix_ms(), pack(r)});
  }

  void commit(store_batch batch, std::string line = {}, std::function<void()> then = {}) {
    auto publish = options_.publish;
    options_.store->write(std::move(batch), [line = std::move(line), then = std::move(then), publish](status done) {
      if (!done)
        return; // the store stopped; its owner ends the program
      if (!line.empty() && publish)
        publish(line);
      if (then)
        then();
    });
  }

  std::string event(const char* kind, std::initializer_list<std::pair<const char*, std::string>> fields) const {
    return event_json(kind, books_name(), fields);
  }
  std::string books_name() const { return fold_.books().settings().name; }

  void put_node(store_batch& batch, const node_key& n) {
    batch.put(table::nodes, key_of(n.campaign, n.tree, n.node), pack(rows_[n]));
  }

  void put_campaign(store_batch& batch, const std::string& state, const std::string& reason) {
    auto row = fold_.row(options_.id);
    row.name = stored_->row.name;
    row.settings_digest = stored_->row.settings_digest;
    row.problem_digest = stored_->row.problem_digest;
    row.created_unix_ms = stored_->row.created_unix_ms;
    row.state = state;
    row.stop_reason = reason;
    batch.put(table::campaigns, key_of(options_.id), pack(row));
  }

  // -- nodes ---------------------------------------------------------------------------------------------------------------

  void finish_node(store_batch& batch, const node_key& n, node_state state, const std::string& why) {
    record(batch, journal_kind::ended, journal_ended{n.tree, n.node, state, why});
    rows_[n].note = why;
    close_node(batch, n, {});
  }

  /// The node has just ended in the fold: its rows, those of its ancestors' statistics, and the news.
  void close_node(store_batch& batch, const node_key& n, std::function<void()> then) {
    const auto& tree = core(n.tree);
    auto& row = rows_[n];
    row.state = tree.tree()[n.node].state;
    row.decision = tree.tree()[n.node].decision; // over all targets
    put_node(batch, n);
    batch.put(table::hot, key_of(n.campaign, n.tree, n.node), pack(tree.row(n.node)));
    if (has_verdict(row.state))
      for (auto up = tree.tree()[n.node].parent; up != no_node; up = tree.tree()[up].parent)
        batch.put(table::hot, key_of(n.campaign, n.tree, up), pack(tree.row(up)));
    put_campaign(batch, "running", "");
    auto score = tree.tree()[n.node].score;
    auto line = node_event_json(books_name(), public_id(fold_.trees().size(), n.tree, n.node), row.state, row.decision,
                                score >= 0 ? std::optional{score} : std::nullopt);
    commit(std::move(batch), std::move(line), std::move(then));
    rows_.erase(n);
    crashes_.erase(n);
  }

  node_brief brief_of(const node_key& n, const std::shared_ptr<const std::vector<std::string>>& tried) {
    auto& tree = core(n.tree);
    const auto& index = tree.tree();
    node_brief b;
    b.what = tree.expansion_of(n.node);
    b.phase = index[n.node].state;
    b.attempt = index[n.node].attempts + 1u;
    if (b.phase == node_state::asked && !tree.call(n.node, index[n.node].attempts))
      b.phase = node_state::planned; // its call ended without an answer: ask again
    if (b.what.operation != operation_kind::draft) {
      for (auto up = index[b.what.parent].parent; up != no_node && up != 0 && b.ancestors.size() < most_ancestors; up = index[up].parent)
        b.ancestors.push_back(up);
      for (auto c = index[b.what.parent].first_child; c != no_node && b.siblings.size() < most_siblings; c = index[c].next_sibling)
        if (c != n.node && !is_open(index[c].state))
          b.siblings.push_back(c);
    }
    b.tried = tried;
    for (const auto& [at, text] : books().hints())
      if (auto place = at.empty() ? 0u : static_cast<std::uint32_t>(std::stoul(at) / fold_.trees().size()); is_below(index, n.node, place))
        b.hints.push_back(text);
    b.target = facts_[tree.backend()];
    return b;
  }

  static bool is_below(const tree_index& index, std::uint32_t node, std::uint32_t ancestor) {
    for (; node != no_node; node = index[node].parent)
      if (node == ancestor)
        return true;
    return false;
  }

  void wake(const std::vector<node_key>& nodes) {
    std::map<std::uint32_t, struct expand> by_tree;
    std::map<std::uint32_t, std::shared_ptr<const std::vector<std::string>>> tried;
    for (const auto& n : nodes) {
      if (!is_open(state_of_node(n)))
        continue;
      auto& t = tried[n.tree];
      if (!t)
        t = std::make_shared<const std::vector<std::string>>(core(n.tree).tried(playbook_plays() ? 4096 : most_tried_shown));
      by_tree[n.tree].nodes.push_back(brief_of(n, t));
    }
    for (auto& [t, e] : by_tree)
      options_.names->send(tree_name(options_.id, t), std::move(e));
  }

  /// Only the playbook reads the whole list; for a model it is noise that it pays for.
  bool playbook_plays() {
    for (const auto& m : books().settings().models)
      if (m.provider == provider_kind::playbook)
        return true;
    return false;
  }

  /// After a restart: answers that were stored but not folded are taken up, calls in doubt are charged, and all open nodes wait to be woken.
  void resume_nodes() {
    store_batch batch;
    for (const auto& [t, call] : fold_.open_calls()) {
      node_key n{options_.id, t, call.node};
      auto reply = stored_->replies.find(n);
      if (reply != stored_->replies.end()) {
        redeliver_.push_back({n, call, std::move(reply->second)});
        continue;
      }
      auto provider = model(call.model).provider;
      if (provider == provider_kind::spool || provider == provider_kind::playbook || provider == provider_kind::replay) {
        // Not paid, and asked under the same name: the same call goes on.
        record(batch, journal_kind::replied, journal_replied{t, call.node, call.attempt, failure_kind::cancelled, {}, {}, {}, {}, false});
      } else {
        journal_replied r{t, call.node, call.attempt, failure_kind::cancelled, {}, {}, {}, charged_at_reservation(call.reserved), true};
        record(batch, journal_kind::replied, r);
        log::warn("campaign", "a call was out when the last session ended: charged at its reservation", {{"node", id(n)}});
      }
    }
    commit(std::move(batch));
    for (auto& tree : fold_.trees())
      for (auto n : tree.open_nodes())
        sleeping_.push_back({options_.id, tree.number(), n});
  }

  void wake_sleeping() {
    if (sleeping_.empty())
      return;
    wake(std::exchange(sleeping_, {}));
    for (auto& r : std::exchange(redeliver_, {})) {
      const auto& m = model(r.call.model);
      auto reply = std::make_shared<completion>();
      if (m.provider == provider_kind::openai || m.provider == provider_kind::anthropic) {
        http_response raw;
        raw.status = 200;
        raw.body = std::move(r.body);
        raw.content_type = raw.body.starts_with("{") ? "application/json" : "text/event-stream";
        *reply = decode(m, 0, raw, static_cast<std::int64_t>(options_.unix_ms() / 1000));
        r.body = std::move(raw.body);
      } else {
        *reply = plain_completion(m, 0, r.body);
      }
      options_.names->send(tree_name(options_.id, r.node.tree), synthesis{r.node, r.call.attempt, reply, digest_of(r.body), 0});
    }
  }

  // -- money ---------------------------------------------------------------------------------------------------------------

  /// Lets prompts go as far as the budget holds their worst case. The intent is committed before the request leaves.
  void pay() {
    while (!unpaid_.empty()) {
      auto request = unpaid_.front();
      if (!is_open(state_of_node(request->node))) {
        unpaid_.pop_front();
        continue;
      }
      if (books().money().lacking(campaign_books::claim(request->reserved)))
        break;
      unpaid_.pop_front();
      const auto& n = request->node;
      auto& row = rows_[n];
      store_batch batch;
      record(batch, journal_kind::asked,
             journal_asked{n.tree, n.node, request->attempt, request->model, request->prompt_digest, request->reserved});
      request->occurrence = request->attempt - 1;
      std::vector<std::string> sections;
      for (const auto& s : request->prompt.sections)
        sections.push_back(batch.blob(s.text));
      row.prompt_digest = request->prompt_digest;
      row.sections_digest = batch.blob(pack(sections));
      row.model = request->model;
      row.attempts = request->attempt;
      row.asked_ms = wall_ms();
      row.state = node_state::asked;
      call_row call{request->model, request->prompt_digest, {}, failure_kind::none, {}, request->reserved, options_.unix_ms(), 0, true};
      batch.put(table::calls, key_of(n.campaign, n.tree, n.node, request->attempt), pack(call));
      put_node(batch, n);
      calls_->open(request->call(), n, request->attempt, std::move(call));
      commit(std::move(batch), {}, [names = options_.names, request = std::shared_ptr<const synthesis_request>{request}] {
        names->send("synthesizer", synthesize{request});
      });
    }
  }

  // -- the step loop ---------------------------------------------------------------------------------------------------------

  void pump() {
    if (!loaded_ || ended_)
      return;
    if (auto reason = stop_reason())
      return finish(*reason);
    if (interrupted_) {
      if (in_evaluation() == 0 && calls_out() == 0)
        end(outcome_);
      return;
    }
    for (auto& tree : fold_.trees()) {
      auto c = capacity_.find(tree.backend());
      if (c == capacity_.end() || c->second.slots == 0)
        continue;
      if (!facts_[tree.backend()] && !c->second.devices.empty())
        facts_[tree.backend()] = std::make_shared<const device_info>(c->second.devices.front());
      wake_sleeping();
      if (!books().paused() && unpaid_.empty())
        step(tree, c->second.slots);
    }
  }

  void step(tree_core& tree, std::uint32_t slots) {
    const auto& index = tree.tree();
    auto evaluating = static_cast<std::uint32_t>(index.count(node_state::answered) + index.count(node_state::building) +
                                                 index.count(node_state::measuring));
    auto busy = std::min(slots, evaluating);
    auto rate = evaluation_.value() > 0 ? slots / evaluation_.value() : 0;
    auto count = credit({.slots = slots,
                         .busy = busy,
                         .queued = evaluating - busy,
                         .asking = static_cast<std::uint32_t>(index.count(node_state::planned) + index.count(node_state::asked)),
                         .model_latency_s = latency_.value(),
                         .evaluations_per_s = rate,
                         .parallel = static_cast<std::uint32_t>(books().settings().search.parallel),
                         .candidates_left = books().money().candidates_left()});
    if (count == 0)
      return;
    auto stepped = fold_.step(tree.number(), count);
    if (!stepped)
      throw std::runtime_error{stepped.error().text};
    auto& [made, r] = *stepped;
    if (made.empty()) { // nothing was drawn, so nothing is recorded
      if (books().in_flight() == 0)
        finish("stall"); // nothing can be expanded and nothing is on its way
      return;
    }
    store_batch batch;
    batch.journal.emplace_back(options_.id, journal_record{journal_kind::stepped, wall_ms(), options_.unix_ms(), pack(r)});
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
      batch.put(table::children, key_of(n.campaign, n.tree, x.parent), be32(x.node));
      fresh.push_back(n);
    }
    commit(std::move(batch));
    wake(fresh);
  }

  static std::string be32(std::uint32_t x) {
    return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
  }

  std::size_t in_evaluation() {
    std::size_t n = 0;
    for (const auto& t : fold_.trees())
      for (auto s : {node_state::answered, node_state::building, node_state::measuring})
        n += t.tree().count(s);
    return n;
  }
  std::size_t calls_out() { return fold_.open_calls().size(); }

  std::optional<std::string> stop_reason() {
    auto next = unpaid_.empty() ? amounts{.candidates = 1} : campaign_books::claim(unpaid_.front()->reserved);
    if (auto reason = books().stop(next))
      return std::string{*reason};
    // Everything in flight waits for money that is not there.
    if (!unpaid_.empty() && unpaid_.size() == books().in_flight() && calls_out() == 0)
      if (auto what = books().money().lacking(next))
        return std::string{to_text(*what)};
    return std::nullopt;
  }

  bool proven() {
    const auto& best = books().best();
    if (best.node == no_node)
      return false;
    return !books().settings().goal.timed || core(best.tree).tree()[best.node].decision == timing_decision::faster;
  }

  /// The end by a rule or by a person: what is in flight is cancelled, and the campaign can't be resumed but only looked at.
  void finish(std::string reason) {
    store_batch batch;
    options_.names->send("synthesizer", drop_requests{options_.id, true});
    for (const auto& [t, call] : fold_.open_calls()) {
      auto free = call.reserved.usd == 0;
      record(batch, journal_kind::replied,
             journal_replied{t, call.node, call.attempt, failure_kind::cancelled, {}, {}, {}, free ? token_usage{} : charged_at_reservation(call.reserved),
                             !free});
    }
    for (auto& tree : fold_.trees())
      for (auto n : tree.open_nodes()) {
        node_key key{options_.id, tree.number(), n};
        options_.names->send("evaluator", cancel_evaluation{key});
        record(batch, journal_kind::ended, journal_ended{tree.number(), n, node_state::cancelled, reason});
        rows_[key].state = node_state::cancelled;
        rows_[key].note = reason;
        put_node(batch, key);
        batch.put(table::hot, key_of(key.campaign, key.tree, key.node), pack(tree.row(n)));
        options_.names->send(tree_name(options_.id, key.tree), evaluation_failed{key, node_state::cancelled, reason});
      }
    record(batch, journal_kind::finished, journal_finished{reason});
    put_campaign(batch, "finished", reason);
    ended_ = true;
    auto line = event("stop", {{"reason", reason}, {"state", "finished"}, {"proven", proven() ? "true" : "false"}});
    commit(std::move(batch), std::move(line), [tell = options_.ended, out = campaign_outcome{"finished", reason, proven(), {}}] { tell(out); });
  }

  void interrupt_now(std::string state, std::string reason, failure why) {
    if (interrupted_ || ended_)
      return;
    interrupted_ = true;
    outcome_ = {std::move(state), std::move(reason), loaded_ && proven(), std::move(why)};
    if (!loaded_)
      return end(outcome_);
    options_.names->send("synthesizer", drop_requests{options_.id, false});
    after(self_, options_.grace, grace_is_over{});
    pump();
  }

  /// The end of this session, not of the campaign. Told at once: on a full disk the commit may have to wait for longer than a person would.
  void end(campaign_outcome out) {
    if (ended_)
      return;
    ended_ = true;
    if (loaded_) {
      store_batch batch;
      put_campaign(batch, out.state, out.reason);
      commit(std::move(batch), event("stop", {{"reason", out.reason}, {"state", out.state}, {"proven", out.proven ? "true" : "false"}}));
    }
    options_.ended(out);
  }

  void publish_progress() {
    if (!options_.publish)
      return;
    auto row = fold_.row(options_.id);
    options_.publish(progress_event_json(row, books().settings(), {.live = true, .in_flight = books().in_flight()}));
  }

  struct late_reply {
    node_key node;
    open_call call;
    std::string body;
  };

  caf::event_based_actor* self_;
  campaign_options options_;
  std::shared_ptr<call_book> calls_ = options_.calls;
  std::shared_ptr<stored_campaign> stored_;
  campaign_fold fold_;
  std::map<node_key, node_row> rows_; ///< of open nodes
  std::map<node_key, int> crashes_;
  std::map<std::string, capacity> capacity_;
  std::map<std::string, std::shared_ptr<const device_info>> facts_;
  std::deque<std::shared_ptr<synthesis_request>> unpaid_; ///< prompts whose worst case the budget can't hold yet
  std::vector<node_key> sleeping_;                        ///< open nodes of an earlier session, until a worker is there
  std::vector<late_reply> redeliver_;
  std::vector<node_key> blocked_;
  std::optional<failure> blocked_why_;
  moving_mean latency_, evaluation_;
  std::uint64_t wall_base_ = 0;
  std::chrono::steady_clock::time_point begun_{};
  bool loaded_ = false, interrupted_ = false, ended_ = false;
  campaign_outcome outcome_;
};

} // namespace

caf::behavior campaign(caf::event_based_actor* self, campaign_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<keeper>(self, std::move(options));
  return {
    [=](campaign_loaded& l) { state->loaded(l); },
    [=](const capacity& c) { state->capacity_is(c); },
    [=](prompt_ready& p) { state->prompt(p); },
    [=](const answered& a) { state->answer(a); },
    [=](const failed_try& f) { state->failed(f); },
    [=](const stage_changed& s) { state->stage(s); },
    [=](judged& j) { state->judge(j); },
    [=](const evaluation_failed& f) { state->evaluation_failed_for(f); },
    [=](const node_crashed& c) { state->crashed(c); },
    [=](const want_brief& w) { state->brief_wanted(w); },
    [=](const steer& s) { state->steered(s); },
    [=](const status_request& s) { state->status_wanted(s); },
    [=](const campaign_tick&) { state->tick(); },
    [=](const interrupt&) { state->interrupted(); },
    [=](const grace_is_over&) { state->grace_over(); },
  };
}

} // namespace ke
