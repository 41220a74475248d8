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
#include "runtime/text/source_text.hpp"

namespace ke {

struct card_read {
  std::uint32_t node;
  std::shared_ptr<const node_summary> card;
};
struct source_read {
  std::shared_ptr<const std::string> source; ///< null: the stored answer can't be read
};
/// A prompt has waited long enough for the vector of its query.
struct vector_late {
  std::uint32_t attempt;
};

} // namespace ke

KE_MESSAGE(ke::card_read)
KE_MESSAGE(ke::source_read)
KE_MESSAGE(ke::vector_late)

namespace ke {
namespace {

class candidate {
public:
  candidate(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree, node_context brief,
            std::map<std::uint32_t, std::shared_ptr<const node_summary>> cards)
      : self_{self}, tree_{std::move(tree)}, brief_{std::move(brief)}, cards_{std::move(cards)} {
    if (brief_.phase == node_state::planned && asks_nobody(brief_.what.operation))
      read_given();
    else if (brief_.phase == node_state::planned)
      gather_cards();
    else if (brief_.phase >= node_state::answered)
      read_source();
    else
      waiting_ = true; // a call is out, from before this actor was awake
  }

  void card(card_read& c) {
    --missing_;
    if (c.card) {
      cards_[c.node] = c.card;
      tree_->names->send(addresses::node_supervisor(tree_->campaign, tree_->tree), card_loaded{c.card});
    }
    if (missing_ > 0)
      return;
    if (brief_.phase == node_state::planned && !waiting_)
      return ask();
    keep_parent();
    if (auto early = std::exchange(early_, std::nullopt))
      answer(*early);
  }

  void answer(const synthesis& s) {
    auto expected = brief_.phase == node_state::planned ? brief_.attempt
                    : brief_.phase == node_state::asked ? brief_.attempt - 1
                                                        : 0;
    if (answered_ || s.attempt != expected)
      return; // told twice, or of a call that was given up
    if (std::exchange(unsent_, std::nullopt))
      waiting_ = true; // an earlier life of this node has asked
    if (!parent_ && !looked_for_parent_ && brief_.what.parent != 0 &&
        s.reply->text.find("<<<<<") != std::string::npos) {
      looked_for_parent_ = true; // it edits the parent, which is not at hand after a rest
      early_ = s;
      load({brief_.what.parent}, card_extent::with_source);
      if (missing_ > 0)
        return;
      early_.reset();
      keep_parent();
    }
    if (missing_ > 0)
      return;
    answered_ = true;
    auto parsed = read_answer(*s.reply, {*tree_->language, tree_->symbol, tree_->language->source_bytes,
                                         parent_ ? std::string_view{parent_->source} : std::string_view{}});
    plan_ = parsed.rationale.substr(0, 300);
    answered a{key(),
               s.attempt,
               parsed.why,
               s.reply_digest,
               parsed.source,
               plan_,
               s.reply->told,
               s.seconds,
               std::move(parsed.more),
               std::move(parsed.parameters),
               descriptor_of(parsed.source),
               s.reply->meter};
    auto usable = parsed.why.kind == failure_kind::none;
    if (usable)
      source_ = std::make_shared<const std::string>(std::move(parsed.source));
    to_campaign(std::move(a));
    if (usable)
      return evaluate();
    auto why = std::string{to_text(parsed.why.kind)} + ": " + parsed.why.text;
    if (brief_.repairs && worth_a_repair(parsed.why.kind, s.attempt))
      ask_again(s.attempt + 1, std::move(why));
    else
      leave(make_card(brief_.what.node, node_state::unanswered, {}, {}, std::move(why), nullptr));
  }

  /// The vector of the query, or none: the prompt can be made.
  void vector(std::uint32_t attempt, const embedding& wanted) {
    if (unsent_ && studies_ == 0 && attempt == brief_.attempt)
      send_unsent(wanted);
  }

  /// What a sub-agent found for the prompt, or nothing.
  void study_came(const study_found& s) {
    if (!unsent_ || s.attempt != brief_.attempt || studies_ == 0)
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
    if (brief_.phase == node_state::planned && !take_given())
      return to_campaign(evaluation_failed{key(), node_state::poisoned, "its given source is no template"});
    evaluate();
  }

  void verdict_came(const judged& j) {
    if (++verdicts_ < tree_->devices.size())
      return;
    leave(make_card(brief_.what.node, state_of(j.found->state), source_ ? *source_ : std::string{},
                    source_ ? source_digest(*source_, tree_->language->syntax) : std::string{}, plan_,
                    j.found.get()));
  }

  void gave_up(const evaluation_failed& f) {
    leave(make_card(brief_.what.node, f.state, source_ ? *source_ : "", {}, f.why, nullptr));
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

  node_key key() const { return {tree_->campaign, tree_->tree, brief_.what.node}; }

  template <class Message>
  void to_campaign(Message message) {
    tree_->names->send(addresses::campaign(tree_->campaign), std::move(message));
  }

  /// Reads what is not at hand, or is there without the source that is wanted now; then `card` goes on.
  void load(const std::vector<std::uint32_t>& nodes, card_extent extent) {
    auto me = weak(self_);
    for (auto node : nodes) {
      auto have = cards_.find(node);
      if (have != cards_.end() && (extent == card_extent::outcome || !have->second->source.empty() ||
                                   !has_verdict(have->second->state)))
        continue;
      ++missing_;
      load_card(*tree_->store, {tree_->campaign, tree_->tree, node}, tree_->language->syntax, extent,
                [me, node](std::shared_ptr<const node_summary> card) {
                  send_weak(me, card_read{node, std::move(card)});
                });
    }
  }

  void gather_cards() {
    const auto& up = brief_.ancestors;
    auto near = up.begin() + static_cast<std::ptrdiff_t>(std::min(shown_changes, up.size()));
    std::vector<std::uint32_t> sources{up.begin(), near};
    for (auto node : {brief_.what.parent, brief_.what.parent2})
      if (node != 0 && node != no_node)
        sources.push_back(node);
    if (shows_siblings(brief_.what.memory)) // else no prompt shows what they changed
      sources.insert(sources.end(), brief_.beside.begin(), brief_.beside.end());
    load(sources, card_extent::with_source);
    load({near, up.end()}, card_extent::outcome);
    load(brief_.siblings, card_extent::outcome);
    if (missing_ == 0)
      ask();
  }

  void keep_parent() {
    if (auto c = cards_.find(brief_.what.parent); c != cards_.end())
      parent_ = c->second;
    cards_.clear();
  }

  /// One more round, with the parser's message; the campaign has kept the node open.
  void ask_again(std::uint32_t attempt, std::string why) {
    brief_.phase = node_state::planned;
    brief_.attempt = attempt;
    brief_.repair = std::move(why);
    answered_ = false;
    waiting_ = false;
    if (parent_)
      cards_[parent_->node] = parent_;
    gather_cards();
  }

  std::vector<std::shared_ptr<const node_summary>> pick(const std::vector<std::uint32_t>& nodes) const {
    std::vector<std::shared_ptr<const node_summary>> found;
    for (auto n : nodes)
      if (auto c = cards_.find(n); c != cards_.end())
        found.push_back(c->second);
    return found;
  }

  void ask() {
    prompt_request r;
    r.problem = tree_->problem.get();
    r.target = brief_.target.get();
    r.language = tree_->language.get();
    r.operation = brief_.what.operation;
    r.draft = brief_.what.draft;
    r.seed = brief_.what.seed;
    r.memory = brief_.what.memory;
    auto card_of = [&](std::uint32_t node) -> std::shared_ptr<const node_summary> {
      auto c = cards_.find(node);
      return c == cards_.end() ? nullptr : c->second;
    };
    r.parent = card_of(brief_.what.parent);
    r.partner = card_of(brief_.what.parent2);
    r.ancestors = pick(brief_.ancestors);
    r.siblings = pick(brief_.siblings);
    r.beside = pick(brief_.beside);
    if (brief_.tried)
      r.tried = *brief_.tried;
    r.hints = brief_.hints;
    r.ordinal = brief_.ordinal;
    r.in_flight = brief_.in_flight;
    r.repair = brief_.repair;
    r.budget_tokens = brief_.prompt_tokens;
    r.floor = tree_->timed ? tree_->floor : 0;
    r.texts = tree_->texts.get();
    if (!tree_->library || brief_.prompt_tokens == 0) // a model that reads the ke-task block alone
      return send_prompt(r);
    unsent_ = std::move(r);
    want_studies();
    if (studies_ == 0)
      look_up();
  }

  void want_studies() {
    studies_ = 0;
    auto scholar = tree_->names->find(addresses::knowledge);
    auto want = [&](const std::string& model, std::optional<study> what) {
      if (model.empty() || !what || !scholar)
        return;
      ++studies_;
      scholar.send(study_wanted{std::make_shared<const study>(std::move(*what)), key(), model, weak(self_),
                                brief_.attempt});
    };
    if (!tree_->agents.memory.empty())
      want(tree_->agents.memory, memory_study(*unsent_));
    if (!tree_->agents.research.empty())
      want(tree_->agents.research, research_study(*unsent_, brief_.stalled));
    if (studies_ > 0)
      self_->monitor(scholar.weak());
  }

  /// The documents, by words or by the vector of what is asked.
  void look_up() {
    auto& r = *unsent_;
    if (!tree_->embeddings)
      return send_unsent({});
    auto text = text_to_embed(query_of(r, brief_.stalled));
    tree_->names->send(addresses::knowledge,
                       vector_wanted{tree_->embeddings, text, weak(self_), brief_.attempt});
    if (!tree_->library->snapshot()->vectors_of(*tree_->embeddings))
      return send_unsent({}); // there is nothing yet to compare a vector with
    after(self_, embedding_deadline, vector_late{brief_.attempt});
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
    consult(*shelf->documents, r, brief_.stalled, wanted, vectors ? *vectors : none);
    send_prompt(r);
  }

  void send_prompt(const prompt_request& r) {
    auto request = std::make_shared<synthesis_request>();
    request->node = key();
    request->attempt = brief_.attempt;
    request->model = brief_.what.model;
    request->prompt = build_prompt(r);
    request->prompt_digest = digest_of(text_of(request->prompt));
    keep_parent();
    waiting_ = true;
    to_campaign(prompt_ready{std::move(request)});
  }

  /// What an earlier answer holds for this node becomes its candidate.
  bool take_given() {
    if (!brief_.what.point.empty()) {
      auto text = at_point(*source_, tree_->language->syntax, brief_.what.point);
      if (!text)
        return false;
      source_ = std::make_shared<const std::string>(std::move(*text));
    }
    plan_ =
        brief_.what.plan.empty() ? "its parent at another point: " + point_of(*source_) : brief_.what.plan;
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
    if (brief_.what.given.empty()) // a part of an answer that can't be used
      return to_campaign(evaluation_failed{key(), node_state::unanswered, brief_.what.plan});
    waiting_ = true;
    fetch(*tree_->store, weak(self_), brief_.what.given);
  }

  void read_source() {
    auto me = weak(self_);
    auto& store = *tree_->store;
    store.read(table::nodes, key_of(tree_->campaign, tree_->tree, brief_.what.node),
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
    e.normalised_digest = source_digest(*source_, tree_->language->syntax);
    e.problem_digest = tree_->problem_digest;
    e.problem = tree_->problem;
    e.timed = tree_->timed;
    e.seed = brief_.what.seed;
    tree_->names->send(addresses::evaluator, std::move(e));
  }

  void leave(std::shared_ptr<const node_summary> card) {
    tree_->names->send(addresses::node_supervisor(tree_->campaign, tree_->tree),
                       retire{brief_.what.node, std::move(card)});
  }

  caf::event_based_actor* self_;
  std::shared_ptr<const tree_context> tree_;
  node_context brief_;
  std::map<std::uint32_t, std::shared_ptr<const node_summary>> cards_;
  std::shared_ptr<const node_summary> parent_; ///< what an answer's edits are of; kept while a call is out
  std::optional<synthesis> early_;             ///< an answer that came before the parent was read
  /// A prompt that waits for sub-agents or for the vector of its query.
  std::optional<prompt_request> unsent_;
  std::size_t studies_ = 0; ///< of sub-agents that it waits for
  std::size_t missing_ = 0;
  std::size_t verdicts_ = 0;
  bool looked_for_parent_ = false;
  bool answered_ = false;
  bool waiting_ = false; ///< for something that will come by message to (campaign, tree, node)
  std::string plan_;
  std::shared_ptr<const std::string> source_;
};

} // namespace

caf::behavior search_node(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree,
                          node_context brief,
                          std::map<std::uint32_t, std::shared_ptr<const node_summary>> cards) {
  keep_exception_text(self);
  auto state = std::make_shared<candidate>(self, std::move(tree), std::move(brief), std::move(cards));
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  return {
      [=](card_read& c) { state->card(c); },
      [=](const synthesis& s) { state->answer(s); },
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
