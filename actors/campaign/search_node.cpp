#include "actors/campaign/search_node.hpp"

#include "actors/knowledge/embedding_cache.hpp"
#include "actors/knowledge/study_cache.hpp"
#include "actors/llm/synthesizer.hpp"
#include "actors/messages/addresses.hpp"
#include "knowledge/advisors/consult.hpp"
#include "knowledge/prompt/descriptor.hpp"
#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/task_block.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/llm/answer.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/text/source_form.hpp"
#include "runtime/text/source_text.hpp"

namespace ke {

struct summary_read {
  std::uint32_t node;
  std::shared_ptr<const node_summary> summary;
};
struct source_read {
  std::shared_ptr<const std::string> source; ///< null: the stored answer can't be read
};
/// A prompt has waited long enough for the vector of its query.
struct vector_late {
  std::uint32_t attempt;
};

} // namespace ke

KE_MESSAGE(ke::summary_read)
KE_MESSAGE(ke::source_read)
KE_MESSAGE(ke::vector_late)

namespace ke {
namespace {

class candidate {
public:
  candidate(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree, node_context context,
            std::map<std::uint32_t, std::shared_ptr<const node_summary>> summaries)
      : self_{self}, tree_{std::move(tree)}, context_{std::move(context)}, summaries_{std::move(summaries)} {
    if (context_.phase == node_state::planned && asks_nobody(context_.what.operation))
      read_given();
    else if (context_.phase == node_state::planned)
      gather_cards();
    else if (context_.phase >= node_state::answered)
      read_source();
    else
      waiting_ = true; // a call is out, from before this actor was awake
  }

  void summary(summary_read& c) {
    --missing_;
    if (c.summary) {
      summaries_[c.node] = c.summary;
      tree_->names->send(addresses::node_supervisor(tree_->campaign, tree_->tree), summary_loaded{c.summary});
    }
    if (missing_ > 0)
      return;
    if (context_.phase == node_state::planned && !waiting_)
      return ask();
    keep_parent();
    if (auto early = std::exchange(early_, std::nullopt))
      answer(*early);
  }

  void answer(const synthesis& s) {
    auto expected = context_.phase == node_state::planned ? context_.attempt
                    : context_.phase == node_state::asked ? context_.attempt - 1
                                                          : 0;
    if (answered_ || s.attempt != expected)
      return; // told twice, or of a call that was given up
    if (std::exchange(unsent_, std::nullopt))
      waiting_ = true; // an earlier life of this node has asked
    look_for_parent(s);
    if (missing_ > 0)
      return;
    answered_ = true;
    auto parsed = read_answer(*s.reply, {*tree_->language, tree_->symbol, tree_->language->source_bytes,
                                         parent_ ? std::string_view{parent_->source} : std::string_view{}});
    plan_ = parsed.rationale.substr(0, 300);
    auto usable = parsed.why.kind == failure_kind::none;
    // Further candidates and the points of a template are something new, whatever the first one is.
    auto may_repeat =
        usable && s.attempt <= context_.resamples && parsed.more.empty() && parsed.parameters.empty();
    unheard_ = may_repeat ? s.attempt : 0;
    if (usable)
      source_ = std::make_shared<const std::string>(parsed.source);
    auto why = std::string{to_text(parsed.why.kind)} + ": " + parsed.why.text;
    auto again = context_.repairs && worth_a_repair(parsed.why.kind, s.attempt);
    tell_answer(s, std::move(parsed));
    if (usable)
      return may_repeat ? void() : evaluate();
    if (again)
      ask_again(s.attempt + 1, std::move(why));
    else
      leave(make_summary(context_.what.node, node_state::unanswered, {}, {}, std::move(why), nullptr));
  }

  /// The campaign knows whether the candidate is new.
  void heard(const answer_heard& h) {
    if (h.attempt != std::exchange(unheard_, 0))
      return; // an earlier life of this node waited for it
    if (h.repeats.empty())
      evaluate();
    else
      ask_again(h.attempt + 1, h.repeats);
  }

  /// The vector of the query, or none: the prompt can be made.
  void vector(std::uint32_t attempt, const embedding& wanted) {
    if (unsent_ && studies_ == 0 && attempt == context_.attempt)
      send_unsent(wanted);
  }

  /// What a sub-agent found for the prompt, or nothing.
  void study_came(const study_found& s) {
    if (!unsent_ || s.attempt != context_.attempt || studies_ == 0)
      return;
    if (!s.found.empty())
      use_study(*unsent_, s.kind, s.found);
    if (--studies_ == 0)
      look_up();
  }

  /// The knowledge actor, with whom the studies end.
  void down(const caf::down_msg&) {
    if (unsent_ && std::exchange(studies_, 0) > 0)
      look_up();
  }

  void source(source_read& s) {
    if (!s.source)
      return to_campaign(evaluation_failed{key(), node_state::poisoned, "its stored source can't be read"});
    source_ = std::move(s.source);
    if (context_.phase == node_state::planned && !take_given())
      return to_campaign(evaluation_failed{key(), node_state::poisoned, "its given source is no template"});
    evaluate();
  }

  void verdict_came(const judged& j) {
    if (++verdicts_ < tree_->devices.size())
      return;
    leave(make_summary(context_.what.node, state_of(j.found->state), source_ ? *source_ : std::string{},
                       source_ ? source_digest(*source_, tree_->language->syntax) : std::string{}, plan_,
                       j.found.get()));
  }

  void gave_up(const evaluation_failed& f) {
    leave(make_summary(context_.what.node, f.state, source_ ? *source_ : "", {}, f.why, nullptr));
  }

  /// Nothing to do but wait, perhaps for days (spool): the store has all that counts.
  void rest() {
    if (waiting_ && !early_)
      leave(nullptr);
  }

private:
  std::uint32_t descriptor_of(const std::string& source) const {
    return describe_kernel(source, tree_->language->syntax).packed();
  }

  /// An answer's edits and regions are the parent's, which is not at hand after a rest. Missing from then on until
  /// it is read; the answer waits in `early_`.
  void look_for_parent(const synthesis& s) {
    auto said = s.reply->why.kind;
    if (parent_ || looked_for_parent_ || context_.what.parent == 0 ||
        (said != failure_kind::none && said != failure_kind::truncated))
      return;
    looked_for_parent_ = true;
    early_ = s;
    load({context_.what.parent}, summary_extent::with_source);
    if (missing_ > 0)
      return;
    early_.reset();
    keep_parent();
  }

  void tell_answer(const synthesis& s, parsed_answer parsed) {
    auto descriptor = descriptor_of(parsed.source);
    to_campaign(answered{key(), s.attempt, std::move(parsed.why), s.reply_digest, std::move(parsed.source),
                         plan_, s.reply->told, s.seconds, std::move(parsed.more),
                         std::move(parsed.parameters), descriptor, s.reply->meter, unheard_ != 0});
  }

  node_key key() const { return {tree_->campaign, tree_->tree, context_.what.node}; }

  template <class Message>
  void to_campaign(Message message) {
    tree_->names->send(addresses::campaign(tree_->campaign), std::move(message));
  }

  /// Reads what is not at hand, or is there without the source that is wanted now; then `summary` goes on.
  void load(const std::vector<std::uint32_t>& nodes, summary_extent extent) {
    auto me = weak(self_);
    for (auto node : nodes) {
      auto have = summaries_.find(node);
      if (have != summaries_.end() && (extent == summary_extent::outcome || !have->second->source.empty() ||
                                       !has_verdict(have->second->state)))
        continue;
      ++missing_;
      load_summary(*tree_->store, {tree_->campaign, tree_->tree, node}, tree_->language->syntax, extent,
                   [me, node](std::shared_ptr<const node_summary> summary) {
                     send_weak(me, summary_read{node, std::move(summary)});
                   });
    }
  }

  void gather_cards() {
    const auto& up = context_.ancestors;
    auto near = up.begin() + static_cast<std::ptrdiff_t>(std::min(shown_changes, up.size()));
    std::vector<std::uint32_t> sources{up.begin(), near};
    for (auto node : {context_.what.parent, context_.what.parent2})
      if (node != 0 && node != no_node)
        sources.push_back(node);
    if (shows_siblings(context_.what.memory)) // else no prompt shows what they changed
      sources.insert(sources.end(), context_.uncles.begin(), context_.uncles.end());
    load(sources, summary_extent::with_source);
    load({near, up.end()}, summary_extent::outcome);
    load(context_.siblings, summary_extent::outcome);
    load(context_.archive, summary_extent::outcome);
    if (missing_ == 0)
      ask();
  }

  void keep_parent() {
    if (auto c = summaries_.find(context_.what.parent); c != summaries_.end())
      parent_ = c->second;
    summaries_.clear();
  }

  /// One more round, with the parser's message; the campaign has kept the node open.
  void ask_again(std::uint32_t attempt, std::string why) {
    context_.phase = node_state::planned;
    context_.attempt = attempt;
    context_.repair = std::move(why);
    answered_ = false;
    waiting_ = false;
    if (parent_)
      summaries_[parent_->node] = parent_;
    gather_cards();
  }

  std::vector<std::shared_ptr<const node_summary>> pick(const std::vector<std::uint32_t>& nodes) const {
    std::vector<std::shared_ptr<const node_summary>> found;
    for (auto n : nodes)
      if (auto c = summaries_.find(n); c != summaries_.end())
        found.push_back(c->second);
    return found;
  }

  void ask() {
    prompt_request r;
    r.problem = tree_->problem.get();
    r.target = context_.target.get();
    r.reference = tree_->timed ? context_.reference.get() : nullptr;
    r.language = tree_->language.get();
    r.operation = context_.what.operation;
    r.draft = context_.what.draft;
    r.seed = context_.what.seed;
    r.memory = context_.what.memory;
    auto summary_of = [&](std::uint32_t node) -> std::shared_ptr<const node_summary> {
      auto c = summaries_.find(node);
      return c == summaries_.end() ? nullptr : c->second;
    };
    r.parent = summary_of(context_.what.parent);
    r.partner = summary_of(context_.what.parent2);
    r.ancestors = pick(context_.ancestors);
    r.siblings = pick(context_.siblings);
    r.uncles = pick(context_.uncles);
    r.archive = pick(context_.archive);
    if (context_.tried)
      r.tried = *context_.tried;
    r.hints = context_.hints;
    r.ordinal = context_.ordinal;
    r.in_flight = context_.in_flight;
    r.form = context_.form;
    r.repair = context_.repair;
    r.budget_tokens = context_.prompt_tokens;
    r.floor = tree_->timed ? tree_->floor : 0;
    r.texts = tree_->texts.get();
    if (!tree_->library || context_.prompt_tokens == 0) // a model that reads the ke-task block alone
      return send_prompt(r, not_consulted(r, context_.stalled));
    unsent_ = std::move(r);
    want_studies();
    if (studies_ == 0)
      look_up();
  }

  void want_studies() {
    studies_ = 0;
    auto knowledge_actor = tree_->names->find(addresses::knowledge);
    auto want = [&](const std::string& model, std::optional<study> what) {
      if (model.empty() || !what || !knowledge_actor)
        return;
      ++studies_;
      knowledge_actor.send(study_wanted{std::make_shared<const study>(std::move(*what)), key(), model,
                                        weak(self_), context_.attempt});
    };
    if (!tree_->agents.memory.empty())
      want(tree_->agents.memory, memory_study(*unsent_));
    if (!tree_->agents.research.empty())
      want(tree_->agents.research, research_study(*unsent_, context_.stalled));
    if (studies_ > 0)
      self_->monitor(knowledge_actor.weak());
  }

  /// The documents, by words or by the vector of what is asked.
  void look_up() {
    auto& r = *unsent_;
    if (!tree_->embeddings)
      return send_unsent({});
    auto text = text_to_embed(query_of(r, context_.stalled));
    tree_->names->send(addresses::knowledge,
                       vector_wanted{tree_->embeddings, text, weak(self_), context_.attempt});
    if (!tree_->library->snapshot()->vectors_of(*tree_->embeddings))
      return send_unsent({}); // there is nothing yet to compare a vector with
    after(self_, embedding_deadline, vector_late{context_.attempt});
  }

  void send_unsent(const embedding& wanted) {
    auto r = *std::exchange(unsent_, std::nullopt);
    send_consulted(r, wanted);
  }

  void send_consulted(prompt_request& r, const embedding& wanted) {
    static auto& by_words = counters::get("knowledge.prompts_by_words");
    static const std::vector<embedding> none;
    auto shelf = tree_->library->snapshot();
    const auto* vectors = tree_->embeddings ? shelf->vectors_of(*tree_->embeddings) : nullptr;
    by_words += tree_->embeddings && (!vectors || wanted.empty());
    auto found = consult(*shelf->documents, r, context_.stalled, wanted, vectors ? *vectors : none);
    send_prompt(r, std::move(found));
  }

  void send_prompt(const prompt_request& r, journal_retrieved found) {
    auto request = std::make_shared<synthesis_request>();
    request->node = key();
    request->attempt = context_.attempt;
    request->model = context_.what.model;
    request->prompt = build_prompt(r);
    request->prompt_digest = prompt_key(request->prompt);
    note_dropped(found, request->prompt);
    found.tree = tree_->tree;
    found.node = context_.what.node;
    found.attempt = context_.attempt;
    request->documents = std::make_shared<const journal_retrieved>(std::move(found));
    keep_parent();
    waiting_ = true;
    to_campaign(prompt_ready{std::move(request)});
  }

  /// What an earlier answer holds for this node becomes its candidate.
  bool take_given() {
    if (!context_.what.point.empty()) {
      auto text = at_point(*source_, tree_->language->syntax, context_.what.point);
      if (!text)
        return false;
      source_ = std::make_shared<const std::string>(std::move(*text));
    }
    plan_ = context_.what.plan.empty() ? "its parent at another point: " + point_of(*source_)
                                       : context_.what.plan;
    to_campaign(given_answer{key(), *source_, plan_, descriptor_of(*source_)});
    return true;
  }

  /// From any thread: the blob comes as `source_read`.
  static void fetch(store_port& store, const weak_actor& to, const std::string& digest) {
    store.read_blob(digest, [to](result<std::string> source) {
      send_weak(to, source_read{source ? std::make_shared<const std::string>(std::move(*source)) : nullptr});
    });
  }

  void read_given() {
    if (context_.what.given.empty()) // a part of an answer that can't be used
      return to_campaign(evaluation_failed{key(), node_state::unanswered, context_.what.plan});
    waiting_ = true;
    fetch(*tree_->store, weak(self_), context_.what.given);
  }

  void read_source() {
    auto me = weak(self_);
    auto& store = *tree_->store;
    store.read(table::nodes, key_of(tree_->campaign, tree_->tree, context_.what.node),
               [me, &store](result<std::string> bytes) {
                 auto row = bytes ? unpack<node_row>(*bytes) : result<node_row>{bytes.error()};
                 row ? fetch(store, me, row->source_digest) : send_weak(me, source_read{nullptr});
               });
  }

  void evaluate() {
    waiting_ = true;
    evaluate_request e;
    e.node = key();
    e.backend = tree_->backend;
    e.devices = tree_->devices;
    e.source = source_;
    e.source_digest = digest_of(*source_);
    e.normalised_digest = form_digest(*source_, tree_->language->syntax);
    e.problem_digest = tree_->problem_digest;
    e.problem = tree_->problem;
    e.timed = tree_->timed;
    e.seed = context_.what.seed;
    e.parent = context_.what.parent;
    tree_->names->send(addresses::evaluator, std::move(e));
  }

  void leave(std::shared_ptr<const node_summary> summary) {
    tree_->names->send(addresses::node_supervisor(tree_->campaign, tree_->tree),
                       retire{context_.what.node, std::move(summary)});
  }

  caf::event_based_actor* self_;
  std::shared_ptr<const tree_context> tree_;
  node_context context_;
  std::map<std::uint32_t, std::shared_ptr<const node_summary>> summaries_;
  std::shared_ptr<const node_summary> parent_; ///< what an answer's edits are of; kept while a call is out
  std::optional<synthesis> early_;             ///< an answer that came before the parent was read
  /// A prompt that waits for sub-agents or for the vector of its query.
  std::optional<prompt_request> unsent_;
  std::size_t studies_ = 0; ///< of sub-agents that it waits for
  std::size_t missing_ = 0;
  std::size_t verdicts_ = 0;
  std::uint32_t unheard_ = 0; ///< the attempt whose answer waits for the campaign's word
  bool looked_for_parent_ = false;
  bool answered_ = false;
  bool waiting_ = false; ///< for something that will come by message to (campaign, tree, node)
  std::string plan_;
  std::shared_ptr<const std::string> source_;
};

} // namespace

caf::behavior search_node(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree,
                          node_context context,
                          std::map<std::uint32_t, std::shared_ptr<const node_summary>> summaries) {
  keep_exception_text(self);
  auto state = std::make_shared<candidate>(self, std::move(tree), std::move(context), std::move(summaries));
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  return {
      [=](summary_read& c) { state->summary(c); },
      [=](const synthesis& s) { state->answer(s); },
      [=](const answer_heard& h) { state->heard(h); },
      [=](source_read& s) { state->source(s); },
      [=](const vector_found& v) { state->vector(v.attempt, v.vector); },
      [=](const vector_late& l) { state->vector(l.attempt, {}); },
      [=](const study_found& s) { state->study_came(s); },
      [=](const judged& j) { state->verdict_came(j); },
      [=](const evaluation_failed& f) { state->gave_up(f); },
      [=](const may_rest&) { state->rest(); },
  };
}

} // namespace ke
